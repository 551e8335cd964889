/* With unified memory, clauses of "requires" that ask for it are accepted, in every
   GCC, and cost no device.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */

#include <stdlib.h>

#pragma omp requires unified_shared_memory, unified_address

int
main (void)
{
  int x[10] = { 1, 2, 3 };
  #pragma omp target map(tofrom: x)
  for (int i = 0; i < 10; i++)
    x[i] += i;
  if (x[2] != 5 || x[9] != 9)
    abort ();
  return 0;
}
