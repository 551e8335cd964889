/* Memory from omp_target_alloc is filled, used through is_device_ptr and read
   back by omp_target_memcpy with offsets; nothing is mapped.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define N 2000

int
main (void)
{
  int device = omp_get_default_device ();
  int host = omp_get_initial_device ();
  int *x = (int *) malloc (N * sizeof *x);
  int *d = (int *) omp_target_alloc (N * sizeof *d, device);

  for (int i = 0; i < N; i++)
    x[i] = i;
  if (omp_target_memcpy (d, x, N * sizeof *x, 0, 0, device, host) != 0)
    abort ();

  #pragma omp target teams distribute parallel for is_device_ptr(d)
  for (int i = 0; i < N; i++)
    d[i] = -d[i];

  /* Only the second half, into the first.  */
  if (omp_target_memcpy (x, d, N / 2 * sizeof *x, 0, N / 2 * sizeof *x, host, device) != 0)
    abort ();
  for (int i = 0; i < N; i++)
    if (x[i] != (i < N / 2 ? -(i + N / 2) : i))
      abort ();

  omp_target_free (d, device);
  free (x);
  return 0;
}
