/* Where the runtime is off, offmem_pin says so, and nothing is page-locked.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM "off" } */

#include <errno.h>
#include <offmem.h>
#include <stdlib.h>

int
main (void)
{
  static char block[1 << 20];
  struct offmem_stats stats;

  if (offmem_pin (block, sizeof block) != ENOTSUP
      || offmem_is_pinned (block, sizeof block)
      || offmem_unpin (block, sizeof block) != ENOTSUP)
    abort ();

  #pragma omp target map(tofrom: block)
  block[1] = 2;

  if (offmem_get_stats (&stats, sizeof stats) != 0
      || stats.registrations != 0 || stats.registered_bytes != 0 || block[1] != 2)
    abort ();
  return 0;
}
