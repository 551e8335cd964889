/* More than OFFMEM_LIMIT is refused, and so is what is never page-locked; the
   memory can be mapped all the same.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_LIMIT "1M" } */

#include <errno.h>
#include <offmem.h>
#include <stdlib.h>

enum { N = 8 << 20 };

int
main (void)
{
  char *block = (char *) calloc (N, 1);
  char stack[1000];
  struct offmem_stats stats;

  if (offmem_pin (block, N) != ENOMEM || offmem_is_pinned (block, N))
    abort ();
  if (offmem_pin (stack, sizeof stack) != EINVAL)
    abort ();
  if (offmem_get_stats (&stats, sizeof stats) != 0
      || stats.limit_bytes != 1 << 20 || stats.registered_bytes != 0)
    abort ();

  #pragma omp target map(tofrom: block[0:N])
  block[5] = 3;
  if (block[5] != 3)
    abort ();
  free (block);
  return 0;
}
