/* Memory is at its address on every device, and on the host.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */
/* { dg-set-target-env-var SOFTCUDA_DEVICES "3" } */

#include <omp.h>
#include "unified.h"

enum { N = 5000 };

int
main (void)
{
  int devices = omp_get_num_devices ();
  int *a = (int *) calloc (N, sizeof *a);
  int *late = NULL;

  for (int d = devices; d >= 0; d--)
    {
      uintptr_t there = 0;
      #pragma omp target device(d) map(from: there)
      {
        there = (uintptr_t) a;
        for (int i = 0; i < N; i++)
          a[i] += d + 1;
      }
      #pragma omp target device(d) map(tofrom: a[0:N])
      a[0]++;
      if (there != (uintptr_t) a)
        abort ();
      /* Big enough for new memory of the driver's.  */
      free (late);
      late = (int *) malloc (64 << 20);
      late[0] = late[(16 << 20) - 1] = d;
    }
  for (int i = 0; i < N; i++)
    if (a[i] != (devices + 1) * (devices + 2) / 2 + (i ? 0 : devices + 1))
      abort ();
  for (int d = 0; d <= devices; d++)
    {
      #pragma omp target device(d)
      late[(16 << 20) - 1] += 10;
      if (d < devices && omp_target_memcpy (late, a, 40, 0, 0, d, devices - 1 - d) != 0)
        abort ();
    }
  if (late[(16 << 20) - 1] != 10 * (devices + 1))
    abort ();
  free (a);
  free (late);
  return 0;
}
