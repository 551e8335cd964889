/* The four STREAM loops by "parallel loop", without and with data clauses.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 100000

int
main (void)
{
  double *a = malloc (N * sizeof *a);
  double *b = malloc (N * sizeof *b);
  double *c = malloc (N * sizeof *c);

  for (int i = 0; i < N; i++)
    a[i] = i;

  /* Copy.  */
  #pragma acc parallel loop copyin(a[0:N]) copyout(c[0:N])
  for (int i = 0; i < N; i++)
    c[i] = a[i];

  /* Scale.  */
  #pragma acc parallel loop copyin(c[0:N]) copyout(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = 3.0 * c[i];

  /* Add.  */
  #pragma acc parallel loop copyin(a[0:N], b[0:N]) copyout(c[0:N])
  for (int i = 0; i < N; i++)
    c[i] = a[i] + b[i];

  /* Triad.  */
  #pragma acc parallel loop copyin(b[0:N], c[0:N]) copyout(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] = b[i] + 3.0 * c[i];

  for (int i = 0; i < N; i++)
    if (b[i] != 3.0 * i || c[i] != 4.0 * i || a[i] != 15.0 * i)
      abort ();
  free (a);
  free (b);
  free (c);
  return 0;
}
