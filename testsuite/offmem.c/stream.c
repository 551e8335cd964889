/* The four STREAM loops, on the device, over arrays from malloc: each loop
   must see what the one before it wrote, and the host the last result.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 100000

int
main (void)
{
  double *a = malloc (N * sizeof *a);
  double *b = malloc (N * sizeof *b);
  double *c = malloc (N * sizeof *c);
  double s = 3.0;

  for (int i = 0; i < N; i++)
    {
      a[i] = i;
      b[i] = 2.0;
      c[i] = 0.0;
    }

  /* Copy.  */
  #pragma omp target teams distribute parallel for map(to: a[0:N]) map(from: c[0:N])
  for (int i = 0; i < N; i++)
    c[i] = a[i];

  /* Scale.  */
  #pragma omp target teams distribute parallel for map(to: c[0:N]) map(from: b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = s * c[i];

  /* Add.  */
  #pragma omp target teams distribute parallel for map(to: a[0:N], b[0:N]) map(from: c[0:N])
  for (int i = 0; i < N; i++)
    c[i] = a[i] + b[i];

  /* Triad.  */
  #pragma omp target teams distribute parallel for map(to: b[0:N], c[0:N]) map(from: a[0:N])
  for (int i = 0; i < N; i++)
    a[i] = b[i] + s * c[i];

  for (int i = 0; i < N; i++)
    if (b[i] != 3.0 * i || c[i] != 4.0 * i || a[i] != 15.0 * i)
      abort ();

  free (a);
  free (b);
  free (c);
  return 0;
}
