/* Functions and constructors in the order of the source.  */
/* { dg-do run } */
/* { dg-additional-options "-fno-toplevel-reorder" } */

#include <stdlib.h>

int
main (void)
{
  int x[100];
  #pragma omp target map(from: x)
  for (int i = 0; i < 100; i++)
    x[i] = i;
  for (int i = 0; i < 100; i++)
    if (x[i] != i)
      abort ();
  return 0;
}
