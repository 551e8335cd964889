/* Adds two vectors on a device; exits with 0 only if that was no host.  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1000;
  float *a = malloc (n * sizeof *a);
  float *b = malloc (n * sizeof *b);
  float *sum = malloc (n * sizeof *sum);
  int wrong = 0;

  for (int i = 0; i < n; i++)
    {
      a[i] = i;
      b[i] = 2 * i;
    }

  for (int device = 0; device < omp_get_num_devices (); device++)
    {
      int host = 1;
      #pragma omp target device(device) map(from: host)
      host = omp_is_initial_device ();

      #pragma omp target teams distribute parallel for device(device) \
	map(to: a[0:n], b[0:n]) map(from: sum[0:n])
      for (int i = 0; i < n; i++)
	sum[i] = a[i] + b[i];

      wrong += host;
      for (int i = 0; i < n; i++)
	wrong += sum[i] != a[i] + b[i];
    }

  printf ("devices %d wrong %d\n", omp_get_num_devices (), wrong);
  return wrong != 0 || omp_get_num_devices () == 0;
}
