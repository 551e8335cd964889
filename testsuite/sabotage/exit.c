/* Memory goes away after libgomp has ended the device.  */

#include "common.h"

static unsigned char *p;

__attribute__ ((destructor)) static void
end (void)
{
  munmap (p, SIZE);
}

int
main (void)
{
  p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset (p, 1, SIZE);
  expect (read_there (p) == 1 && offmem_is_pinned (p, SIZE), "it never was registered");
  return 0;
}
