/* offmem_pin page-locks memory before its first copy, until offmem_unpin.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM "mandatory" } */

#include <errno.h>
#include <offmem.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 };

int
main (void)
{
  char *block = (char *) malloc (N);
  struct offmem_stats before, after;

  memset (block, 1, N);
  if (offmem_get_stats (&before, sizeof before) != 0 || offmem_is_pinned (block, N))
    abort ();
  if (offmem_unpin (block, N) != EINVAL)
    abort ();
  if (offmem_pin (block, N) != 0 || offmem_pin (block, N) != 0)
    abort ();
  if (!offmem_is_pinned (block, N) || !offmem_is_pinned (block + 100, 1)
      || offmem_is_pinned (&block, sizeof block))
    abort ();

  #pragma omp target map(tofrom: block[0:N])
  for (int i = 0; i < N; i++)
    block[i] = block[i] + 1;
  for (int i = 0; i < N; i++)
    if (block[i] != 2)
      abort ();

  if (offmem_get_stats (&after, sizeof after) != 0)
    abort ();
  if (after.registrations != before.registrations + 1
      || after.registered_bytes < before.registered_bytes + N
      || after.peak_registered_bytes < after.registered_bytes
      || after.registered_bytes > after.limit_bytes
      || after.bytes_to_device_pinned < before.bytes_to_device_pinned + N
      || after.bytes_from_device_pinned < before.bytes_from_device_pinned + N
      || after.register_ns == 0)
    abort ();

  if (offmem_unpin (block, N) != 0 || offmem_is_pinned (block, N)
      || offmem_unpin (block, N) != EINVAL)
    abort ();
  if (offmem_get_stats (&after, sizeof after) != 0
      || after.unregistrations != before.unregistrations + 1)
    abort ();
  free (block);
  return 0;
}
