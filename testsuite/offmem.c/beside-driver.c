/* Beside a CUDA driver memory is registered with it, not locked, and nothing is
   said.  */
/* { dg-do run { target offload_device } } */
/* { dg-output {^ok\n$} } */

#include <offmem.h>
#include <stdio.h>
#include <stdlib.h>
#include "vmlck.h"

int
main (void)
{
  enum { N = 1 << 20 };
  char *x = calloc (N, 1);
  struct offmem_stats stats;

  for (int k = 0; k < 4; k++)
    {
      #pragma omp target map(tofrom: x[0:N])
      x[k] = k;
    }
  if (vmlck_kib () != 0 || offmem_get_stats (&stats, sizeof stats) != 0)
    abort ();
  if (stats.registrations != 1 || stats.failures != 0 || !offmem_is_pinned (x, N))
    abort ();
  free (x);
  puts ("ok");
  return 0;
}
