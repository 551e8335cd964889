/* One block on three devices, in turn and at once, each with a context of its own:
   registered in one of them, it is so for all.  */
/* { dg-do run } */
/* { dg-set-target-env-var SOFTCUDA_DEVICES "3" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define N (1 << 20)

int
main (void)
{
  int devices = omp_get_num_devices (), errors = 0;
  unsigned char *x = (unsigned char *) malloc (N), *y = (unsigned char *) malloc (N);

  for (int round = 0; round < 3; round++)
    {
      memset (x, round, N);
      /* The last one is the host.  */
      for (int d = devices; d >= 0; d--)
        {
          #pragma omp target device(d) map(tofrom: x[0:N])
          for (int i = 0; i < N; i += 4096)
            x[i] += d + 1;
        }
      for (int i = 0; i < N; i++)
        if (x[i] != round + (i % 4096 ? 0 : (devices + 1) * (devices + 2) / 2))
          abort ();

      #pragma omp parallel for num_threads(4) reduction(+: errors)
      for (int d = 0; d < devices; d++)
        {
          unsigned char *mine = (unsigned char *) malloc (N);
          void *there = omp_target_alloc (N, d);
          memset (mine, 10 * d + round, N);
          #pragma omp target device(d) map(to: x[0:N]) map(tofrom: mine[0:N])
          for (int i = 0; i < N; i += 4096)
            mine[i] += x[i];
          errors += omp_target_memcpy (there, mine, N, 0, 0, d, omp_get_initial_device ());
          memset (mine, 255, N);
          errors += omp_target_memcpy (mine, there, N, 0, 0, omp_get_initial_device (), d);
          for (int i = 0; i < N; i++)
            errors += mine[i] != (unsigned char) (10 * d + round + (i % 4096 ? 0 : x[i]));
          omp_target_free (there, d);
          free (mine);
        }
      if (errors)
        abort ();

      /* From device to device, by way of the host's block.  */
      memset (y, 0, N);
      #pragma omp target enter data device(0) map(to: y[0:N])
      #pragma omp target device(0)
      for (int i = 0; i < N; i += 4096)
        y[i] = 5;
      #pragma omp target update device(0) from(y[0:N])
      #pragma omp target exit data device(0) map(delete: y[0:N])
      #pragma omp target device(devices - 1) map(tofrom: y[0:N])
      for (int i = 0; i < N; i += 4096)
        y[i] += 2;
      for (int i = 0; i < N; i++)
        if (y[i] != (i % 4096 ? 0 : 7))
          abort ();
    }
  free (x);
  free (y);
  return 0;
}
