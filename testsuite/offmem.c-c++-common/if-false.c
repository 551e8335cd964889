/* A region whose if clause is false runs on the host, on the host's data,
   whether or not there is a device.  */
/* { dg-do run } */
/* { dg-no-kernel "if(0)" } */

#include <omp.h>
#include <stdlib.h>

#define N 100

int
main (void)
{
  int *x = (int *) calloc (N, sizeof *x);
  int on_host = 0;
  volatile int offload = 0;

  #pragma omp target if(offload) map(tofrom: x[0:N], on_host)
  {
    on_host = omp_is_initial_device ();
    for (int i = 0; i < N; i++)
      x[i] = i;
  }

  if (!on_host)
    abort ();
  for (int i = 0; i < N; i++)
    if (x[i] != i)
      abort ();
  free (x);
  return 0;
}
