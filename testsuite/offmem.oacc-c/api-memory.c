/* Device memory from acc_malloc, filled and read by acc_memcpy_*.  */
/* { dg-do run } */

#include <openacc.h>
#include <stdlib.h>

#define N 600

int
main (void)
{
  long x[N], y[N];
  long *d = acc_malloc (sizeof x);

  for (int i = 0; i < N; i++)
    x[i] = i;
  acc_memcpy_to_device (d, x, sizeof x);
  #pragma acc parallel loop deviceptr(d)
  for (int i = 0; i < N; i++)
    d[i] *= 4;
  acc_memcpy_from_device (y, d, sizeof y);
  acc_free (d);

  for (int i = 0; i < N; i++)
    if (y[i] != 4 * i)
      abort ();
  return 0;
}
