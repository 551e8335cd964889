/* OFFMEM_LIMIT has room for one of two blocks, so the first that was freed
   gives its pages back to the system, and its registration before.  */

#include "common.h"

int
main (void)
{
  unsigned char *a = malloc (SIZE), *b = malloc (SIZE);
  memset (a, 1, SIZE);
  memset (b, 2, SIZE);
  expect (read_there (a) == 1 && read_there (b) == 2, "the device read other memory");
  expect (offmem_is_pinned (b, SIZE), "it never was registered");
  free (b);
  free (a);
  /* A thread of the runtime's does it.  */
  for (int i = 0; i < 30 && offmem_is_pinned (b, SIZE); i++)
    usleep (100000);
  a = malloc (SIZE);
  b = malloc (SIZE);
  memset (a, 3, SIZE);
  memset (b, 4, SIZE);
  expect (read_there (b) == 4 && read_there (a) == 3, "the device read pages that are gone");
  return 0;
}
