/* Blocks of the runtime's own heap stand at multiples of 64 KiB; big ones of
   glibc's, which have a header, never do.  */

#include <stdint.h>
#include <stdlib.h>

static inline int
owned (const void *block)
{
  return block != NULL && (uintptr_t) block % (64 << 10) == 0;
}

/* What the test is about, on a device too.  */

static inline void
offload (void)
{
  int ran = 0;
  #pragma omp target map(tofrom: ran)
  ran = 1;
  if (!ran)
    abort ();
}
