/* A prefix sum in log2 (n) passes between two mapped buffers.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 1000

int
main (void)
{
  int *x = (int *) malloc (N * sizeof *x);
  int *y = (int *) malloc (N * sizeof *y);

  for (int i = 0; i < N; i++)
    x[i] = i + 1;

  #pragma omp target data map(tofrom: x[0:N]) map(alloc: y[0:N])
  for (int step = 1; step < N; step *= 2)
    {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        y[i] = x[i] + (i >= step ? x[i - step] : 0);
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        x[i] = y[i];
    }

  for (int i = 0; i < N; i++)
    if (x[i] != (i + 1) * (i + 2) / 2)
      abort ();
  free (x);
  free (y);
  return 0;
}
