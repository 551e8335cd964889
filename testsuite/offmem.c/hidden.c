/* With hidden visibility for everything that the unit defines.  */
/* { dg-do run } */
/* { dg-additional-options "-fvisibility=hidden" } */

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
