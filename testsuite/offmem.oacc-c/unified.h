/* What the OpenACC programs named unified-* ask of their memory; offmem.c-c++-common has
   the same for OpenMP.  */

#include <stdint.h>
#include <stdlib.h>

/* End the program unless a device has the N bytes of BLOCK at the same address,
   sees what the host wrote there, and the host what it writes.  */

static inline void
expect_shared (void *block, size_t n)
{
  unsigned char *p = (unsigned char *) block, *last = p + n - 1;
  unsigned char first_byte = *p, last_byte = *last;
  uintptr_t there = 0;
  int seen = 0;

  #pragma acc parallel num_gangs(1) deviceptr(p) copyout(there, seen)
  {
    there = (uintptr_t) p;
    seen = p[0] == first_byte && p[n - 1] == last_byte;
    p[0] ^= 0x55;
    p[n - 1] ^= 0xaa;
  }
  if (there != (uintptr_t) p || !seen)
    abort ();
  if (n == 1 ? *p != (first_byte ^ 0xff) : *p != (first_byte ^ 0x55) || *last != (last_byte ^ 0xaa))
    abort ();
  *p = first_byte;
  *last = last_byte;
}
