/* Matrix multiplication with variable sizes: maps of n * n elements through
   plain pointers.  */
/* { dg-do run } */

#include <stdlib.h>

static void
multiply (int n, const double *a, const double *b, double *c)
{
  #pragma omp target teams distribute parallel for collapse(2) \
      map(to: a[0:n * n], b[0:n * n]) map(from: c[0:n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        double sum = 0.0;
        for (int k = 0; k < n; k++)
          sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
}

int
main (void)
{
  for (int n = 1; n <= 100; n += 33)
    {
      double *a = (double *) malloc (n * n * sizeof *a);
      double *b = (double *) malloc (n * n * sizeof *b);
      double *c = (double *) malloc (n * n * sizeof *c);

      /* a adds up neighbours' rows of b, where b[i][j] = i.  */
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          {
            a[i * n + j] = j == i || j == i + 1;
            b[i * n + j] = i;
          }
      multiply (n, a, b, c);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          if (c[i * n + j] != (i + 1 < n ? 2 * i + 1 : i))
            abort ();
      free (a);
      free (b);
      free (c);
    }
  return 0;
}
