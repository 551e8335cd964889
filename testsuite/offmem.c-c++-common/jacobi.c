/* Jacobi iteration on a square with one hot side.  The grids stay on the device
   for all steps; only the residual comes back in between.  */
/* { dg-do run } */
/* { dg-additional-options "-foffload=-lm" } */

#include <math.h>
#include <stdlib.h>

#define N 64

int
main (void)
{
  double (*u)[N] = (double (*)[N]) calloc (N, sizeof *u);
  double (*v)[N] = (double (*)[N]) calloc (N, sizeof *v);
  double residual = 1.0, previous = 1.0e30;

  for (int j = 0; j < N; j++)
    u[0][j] = v[0][j] = 100.0;

  #pragma omp target data map(tofrom: u[0:N]) map(to: v[0:N])
  for (int step = 0; step < 100; step++)
    {
      #pragma omp target teams distribute parallel for collapse(2)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);

      residual = 0.0;
      #pragma omp target teams distribute parallel for collapse(2) \
          map(tofrom: residual) reduction(max: residual)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          {
            residual = fmax (residual, fabs (v[i][j] - u[i][j]));
            u[i][j] = v[i][j];
          }

      if (!(residual <= previous))
        abort ();
      previous = residual;
    }

  if (residual > 0.5 || u[0][5] != 100.0 || u[N - 1][5] != 0.0)
    abort ();
  /* The problem is symmetric.  */
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (fabs (u[i][j] - u[i][N - 1 - j]) > 1.0e-9)
        abort ();
  free (u);
  free (v);
  return 0;
}
