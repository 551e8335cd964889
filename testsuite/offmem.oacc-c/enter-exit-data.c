/* Data on the device from "enter data" to "exit data", across functions.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 7000

static void
begin (int *x, int *y)
{
  #pragma acc enter data copyin(x[0:N]) create(y[0:N])
}

static void
end (int *x, int *y)
{
  #pragma acc exit data delete(x[0:N]) copyout(y[0:N])
}

int
main (void)
{
  int *x = malloc (N * sizeof *x);
  int *y = malloc (N * sizeof *y);
  for (int i = 0; i < N; i++)
    x[i] = i;

  begin (x, y);
  #pragma acc parallel loop present(x[0:N], y[0:N])
  for (int i = 0; i < N; i++)
    y[i] = x[i] * 2 + 1;
  end (x, y);

  for (int i = 0; i < N; i++)
    if (y[i] != 2 * i + 1)
      abort ();
  free (x);
  free (y);
  return 0;
}
