/* host_data use_device gives the device's address, for deviceptr and the API.  */
/* { dg-do run } */

#include <openacc.h>
#include <stdlib.h>

#define N 256

int
main (void)
{
  int *x = calloc (N, sizeof *x);

  #pragma acc data copy(x[0:N])
  {
    int *d;
    #pragma acc host_data use_device(x)
    d = x;
    #pragma acc parallel loop deviceptr(d)
    for (int i = 0; i < N; i++)
      d[i] = i;
  }

  for (int i = 0; i < N; i++)
    if (x[i] != i)
      abort ();
  free (x);
  return 0;
}
