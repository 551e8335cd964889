// Jacobi's iteration on a square plate with one hot edge: the grid stays on
// the device, and comes back now and then to be looked at.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int
main ()
{
  const int n = 256, sweeps = 400, period = 50;
  std::vector<double> grid (n * n), next (n * n);
  for (int i = 0; i < n; i++)
    grid[i] = next[i] = 100.0;

  double *u = grid.data (), *v = next.data ();
  double residual = 0, warmth = 0;
  bool warmer = true;
  #pragma omp target data map(to: u[0:n * n], v[0:n * n])
  for (int sweep = 1; sweep <= sweeps; sweep++)
    {
      residual = 0;
      #pragma omp target teams distribute parallel for reduction(+: residual) map(residual)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          {
            int k = i * n + j;
            v[k] = (u[k - 1] + u[k + 1] + u[k - n] + u[k + n]) / 4;
            residual += std::fabs (v[k] - u[k]);
          }
      #pragma omp target teams distribute parallel for
      for (int k = n; k < n * (n - 1); k++)
        u[k] = v[k];
      if (sweep % period == 0)
        {
          #pragma omp target update from(u[0:n * n])
          double sum = 0;
          for (int k = 0; k < n * n; k++)
            sum += u[k];
          warmer = warmer && sum > warmth;
          warmth = sum;
        }
    }

  if (!(warmer && residual > 0 && residual < 1000 && grid[n + n / 2] > 90))
    {
      std::printf ("no solution: residual %g\n", residual);
      return EXIT_FAILURE;
    }
  std::printf ("residual %.3f after %d sweeps\n", residual, sweeps);
}
