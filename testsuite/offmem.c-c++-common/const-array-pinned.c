/* A constant array is page-locked for reading, once for all its mappings.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <offmem.h>
#include <stdlib.h>

#define N (1 << 18)

static const int weight[N] = { 3, 1, 4, 1, 5, 9, 2, 6 };

int
main (void)
{
  struct offmem_stats stats;

  if (offmem_get_stats (&stats, sizeof stats) != 0)
    abort ();
  for (int round = 1; round <= 3; round++)
    {
      int sum = 0;

      #pragma omp target map(to: weight) map(tofrom: sum)
      for (int i = 0; i < N; i++)
        sum += weight[i];

      if (sum != 31 || !offmem_is_pinned (weight, sizeof weight))
        abort ();
      if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.failures != 0
          || stats.registrations != 1
          || stats.bytes_to_device_pinned < round * sizeof weight)
        abort ();
    }
  return 0;
}
