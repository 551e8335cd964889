/* OFFMEM_UNIFIED_POOL has room for one of two blocks.  Where the first one was, nothing is the
   device's any more.  */

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIZE = 40 << 20, MORE = 50 << 20 };

int
main (void)
{
  int device = omp_get_default_device ();
  unsigned char *a = malloc (SIZE);
  uintptr_t there = (uintptr_t) a;
  #pragma omp target
  a[0] = 1;
  if (!omp_target_is_present (a, device))
    return 2;
  free (a);
  unsigned char *b = malloc (MORE);
  if (!omp_target_is_present (b, device) || !omp_target_is_present (b + MORE - 1, device))
    return 3;
  /* What of the old one is not in the new one, if anything.  */
  for (uintptr_t end = there + SIZE; there < end; there += SIZE / 8)
    if (there - (uintptr_t) b >= MORE)
      return omp_target_is_present ((void *) there, device);
  return 0;
}
