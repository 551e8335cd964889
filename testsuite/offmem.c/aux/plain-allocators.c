/* What allocations become in unified mode, counted.  */

#include <stdlib.h>

volatile int allocations;

void *
offmem_malloc (size_t size)
{
  allocations++;
  return malloc (size);
}

void
offmem_free (void *p)
{
  free (p);
}
