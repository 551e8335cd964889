/* With OMP_TARGET_OFFLOAD=disabled everything runs on the host, and nothing is
   registered for a device that nobody uses.  */
/* { dg-do run } */
/* { dg-no-kernel "offloading is disabled" } */
/* { dg-set-target-env-var OMP_TARGET_OFFLOAD "disabled" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-output {^ok\n$} } */

#include <offmem.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20 };

int
main (void)
{
  char *x = calloc (N, 1);
  struct offmem_stats stats;
  int host = 0;

  #pragma omp target data map(tofrom: x[0:N])
  for (int round = 0; round < 3; round++)
    {
      #pragma omp target map(tofrom: x[0:N]) map(from: host)
      {
        x[round] += 1;
        host = omp_is_initial_device ();
      }
      #pragma omp target update from(x[0:N])
      if (!host || x[round] != 1)
        abort ();
    }
  if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.registrations != 0
      || offmem_is_pinned (x, N))
    abort ();
  free (x);
  puts ("ok");
  return 0;
}
