/* "target data" in "target data" for the same array: the inner one neither
   copies nor ends the outer one's mapping.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 300

static void
increment (int *x)
{
  #pragma omp target data map(tofrom: x[0:N])
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i++)
    x[i] += 1;
}

int
main (void)
{
  int *x = (int *) calloc (N, sizeof *x);

  #pragma omp target data map(tofrom: x[0:N])
  {
    increment (x);
    #pragma omp target data map(to: x[0:N])
    increment (x);
    increment (x);
  }

  for (int i = 0; i < N; i++)
    if (x[i] != 3)
      abort ();
  free (x);
  return 0;
}
