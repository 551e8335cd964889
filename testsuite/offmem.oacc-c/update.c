/* "update" of parts, to the device and back.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 1000

int
main (void)
{
  int *x = malloc (N * sizeof *x);
  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma acc data copyin(x[0:N])
  {
    for (int i = 0; i < 100; i++)
      x[i] = 5000;
    #pragma acc update device(x[0:100])
    #pragma acc parallel loop present(x[0:N])
    for (int i = 0; i < N; i++)
      x[i] += 1;
    #pragma acc update self(x[0:500])
    #pragma acc update host(x[500:500])
  }

  for (int i = 0; i < N; i++)
    if (x[i] != (i < 100 ? 5001 : i + 1))
      abort ();
  free (x);
  return 0;
}
