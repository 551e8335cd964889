/* A conjugate-gradient solver for the one-dimensional Laplacian; vectors stay
   on the device, scalars go back and forth in every step.  */
/* { dg-do run } */

#include <math.h>
#include <stdlib.h>

#define N 200

static double
dot (const double *x, const double *y)
{
  double sum = 0.0;
  #pragma omp target teams distribute parallel for map(x[0:N], y[0:N]) \
      map(tofrom: sum) reduction(+: sum)
  for (int i = 0; i < N; i++)
    sum += x[i] * y[i];
  return sum;
}

/* y = s * y + t * x.  */

static void
combine (double s, double *y, double t, const double *x)
{
  #pragma omp target teams distribute parallel for map(x[0:N], y[0:N])
  for (int i = 0; i < N; i++)
    y[i] = s * y[i] + t * x[i];
}

/* y = A * x.  */

static void
apply (const double *x, double *y)
{
  #pragma omp target teams distribute parallel for map(x[0:N], y[0:N])
  for (int i = 0; i < N; i++)
    y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < N - 1 ? x[i + 1] : 0.0);
}

int
main (void)
{
  double *x = (double *) calloc (N, sizeof *x);
  double *r = (double *) malloc (N * sizeof *r);
  double *p = (double *) malloc (N * sizeof *p);
  double *q = (double *) malloc (N * sizeof *q);

  for (int i = 0; i < N; i++)
    r[i] = p[i] = 1.0;

  #pragma omp target data map(tofrom: x[0:N]) map(to: r[0:N], p[0:N]) map(alloc: q[0:N])
  {
    double rho = dot (r, r);
    for (int step = 0; step < N && rho > 1.0e-20; step++)
      {
        apply (p, q);
        double alpha = rho / dot (p, q);
        combine (1.0, x, alpha, p);
        combine (1.0, r, -alpha, q);
        double previous = rho;
        rho = dot (r, r);
        combine (rho / previous, p, 1.0, r);
      }
  }

  /* The exact solution is a parabola.  */
  for (int i = 0; i < N; i++)
    if (fabs (x[i] - 0.5 * (i + 1) * (N - i)) > 1.0e-6)
      abort ();
  free (x);
  free (r);
  free (p);
  free (q);
  return 0;
}
