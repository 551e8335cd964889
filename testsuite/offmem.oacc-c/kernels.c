/* A "kernels" region of several loops over the same data.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 4000

int
main (void)
{
  int *x = malloc (N * sizeof *x);
  int *y = malloc (N * sizeof *y);

  #pragma acc kernels copyout(x[0:N], y[0:N])
  {
    for (int i = 0; i < N; i++)
      x[i] = i;
    for (int i = 0; i < N; i++)
      y[i] = 2 * x[i];
  }

  for (int i = 0; i < N; i++)
    if (x[i] != i || y[i] != 2 * i)
      abort ();
  free (x);
  free (y);
  return 0;
}
