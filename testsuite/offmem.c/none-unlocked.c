/* Nothing is locked by a program with -foffload-memory=none.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=none" } */

#include "vmlck.h"

int
main (void)
{
  int x = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1 || vmlck_kib () != 0)
    abort ();
  return 0;
}
