/* As a position-independent executable.  */
/* { dg-do run } */
/* { dg-require-effective-target pie_link } */
/* { dg-additional-options "-fPIE -pie" } */

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
