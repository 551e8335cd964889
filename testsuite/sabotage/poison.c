/* The driver fails to unregister memory that is unmapped.  */

#include "common.h"

int
main (void)
{
  unsigned char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset (p, 1, SIZE);
  expect (read_there (p) == 1 && offmem_is_pinned (p, SIZE), "it never was registered");
  munmap (p, SIZE);
  p = mmap (p, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memset (p, 2, SIZE);
  if (read_there (p) != 2)
    {
      fputs ("the device read pages that are gone\n", stderr);
      return 3;
    }
  return 0;
}
