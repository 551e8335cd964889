/* OFFMEM_UNIFIED_POOL has room for one of two blocks.  What a region that waits for nobody has used
   stays, so that the second is ordinary memory.  */

#include <omp.h>
#include <stdlib.h>

enum { SIZE = 40 << 20, MORE = 50 << 20 };

int
main (void)
{
  unsigned char *a = malloc (SIZE);
  #pragma omp target map(tofrom: a[0:SIZE]) nowait
  a[0] = 1;
  #pragma omp taskwait
  free (a);
  unsigned char *b = malloc (MORE);
  return omp_target_is_present (b, omp_get_default_device ());
}
