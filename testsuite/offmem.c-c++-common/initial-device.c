/* device(omp_get_initial_device ()) is the host for every construct; copies
   between host and host are plain copies.  */
/* { dg-do run } */
/* { dg-no-kernel "the initial device" } */

#include <omp.h>
#include <stdlib.h>

#define N 100

int
main (void)
{
  int host = omp_get_initial_device ();
  int x[N], y[N];
  int on_host = 0;

  if (host != omp_get_num_devices ())
    abort ();
  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma omp target enter data map(to: x) device(host)
  #pragma omp target map(tofrom: x) map(from: on_host) device(host)
  {
    on_host = omp_is_initial_device ();
    x[0] = 42;
  }
  #pragma omp target update from(x) device(host)
  #pragma omp target exit data map(from: x) device(host)
  if (!on_host || x[0] != 42)
    abort ();

  if (omp_target_memcpy (y, x, sizeof x, 0, 0, host, host) != 0 || y[0] != 42 || y[N - 1] != N - 1)
    abort ();
  return 0;
}
