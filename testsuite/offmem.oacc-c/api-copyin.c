/* The functions of the API instead of directives: acc_copyin and acc_copyout,
   acc_update_self, acc_is_present.  */
/* { dg-do run } */

#include <openacc.h>
#include <stdlib.h>

#define N 900

int
main (void)
{
  int *x = malloc (N * sizeof *x);
  for (int i = 0; i < N; i++)
    x[i] = i;

  acc_copyin (x, N * sizeof *x);
  if (!acc_is_present (x, N * sizeof *x))
    abort ();
  #pragma acc parallel loop present(x[0:N])
  for (int i = 0; i < N; i++)
    x[i] = -x[i];
  acc_update_self (x, N / 3 * sizeof *x);
  for (int i = 0; i < N / 3; i++)
    if (x[i] != -i)
      abort ();
  acc_copyout (x, N * sizeof *x);

  for (int i = 0; i < N; i++)
    if (x[i] != -i)
      abort ();
  free (x);
  return 0;
}
