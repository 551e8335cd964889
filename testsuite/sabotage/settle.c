/* OFFMEM_LIMIT has room for one of two blocks.  The first may be copied at any
   time, until it is freed.  */

#include "common.h"

int
main (void)
{
  unsigned char *block = malloc (SIZE);
  memset (block, 1, SIZE);
  #pragma omp target enter data map(to: block[0:SIZE]) nowait
  #pragma omp taskwait
  expect (offmem_is_pinned (block, SIZE), "the first block never was registered");
  #pragma omp target exit data map(release: block[0:SIZE])
  free (block);
  /* It stays as it is, for another of its size; this is none.  */
  block = malloc (SIZE + SIZE / 2);
  memset (block, 2, SIZE);
  expect (read_there (block) == 2, "the device read other memory");
  expect (offmem_is_pinned (block, SIZE), "a freed block takes the room of a live one");
  return 0;
}
