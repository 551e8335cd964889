/* Inside use_device_ptr the pointer is the device's, fit for is_device_ptr and
   for omp_target_memcpy; outside it is the host's again.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define N 777

int
main (void)
{
  int device = omp_get_default_device ();
  int host = omp_get_initial_device ();
  long *x = (long *) malloc (N * sizeof *x);
  long *copy = (long *) malloc (N * sizeof *copy);
  long *before = x;

  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma omp target data map(tofrom: x[0:N])
  {
    #pragma omp target data use_device_ptr(x)
    {
      #pragma omp target is_device_ptr(x)
      for (int i = 0; i < N; i++)
        x[i] += 3;
      if (omp_target_memcpy (copy, x, N * sizeof *x, 0, 0, host, device) != 0)
        abort ();
    }
    if (x != before)
      abort ();
  }

  for (int i = 0; i < N; i++)
    if (x[i] != i + 3 || copy[i] != i + 3)
      abort ();
  free (x);
  free (copy);
  return 0;
}
