/* The functions of offmem.h refuse what is no memory, leave errno alone, and fill
   in a structure of whatever size the caller knows.  */
/* { dg-do run } */

#include <errno.h>
#include <offmem.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  static char block[1 << 20];
  struct offmem_stats stats[3];
  uint64_t *fields = (uint64_t *) stats;
  const size_t count = sizeof stats[0] / sizeof fields[0];
  size_t i;

  #pragma omp target map(tofrom: block)
  block[1] = 2;

  errno = EDOM;
  if (offmem_pin (NULL, 1) != EINVAL
      || offmem_pin (block, 0) != EINVAL
      || offmem_pin (block, (size_t) -1) != EINVAL
      || offmem_unpin (NULL, 1) != EINVAL
      || offmem_unpin (block, 0) != EINVAL)
    abort ();
  if (offmem_is_pinned (NULL, 1) || offmem_is_pinned (block, 0)
      || offmem_is_pinned (block, (size_t) -1))
    abort ();

  memset (stats, 0xff, sizeof stats);
  if (offmem_get_stats (stats, sizeof fields[0]) != 0)
    abort ();
  if (fields[0] == UINT64_MAX || fields[1] != UINT64_MAX)
    abort ();
  if (offmem_get_stats (stats, 2 * sizeof stats[0]) != 0)
    abort ();
  for (i = count; i < 2 * count; i++)
    if (fields[i] != 0)
      abort ();
  if (fields[i] != UINT64_MAX)
    abort ();
  if (offmem_get_stats (NULL, sizeof stats) != EINVAL
      || offmem_get_stats (stats, sizeof fields[0] - 1) != EINVAL)
    abort ();
  if (errno != EDOM || block[1] != 2)
    abort ();
  return 0;
}
