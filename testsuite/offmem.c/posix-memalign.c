/* Memory from every allocating function of the C library is mapped and given
   back to free.  */
/* { dg-do run } */

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (256 << 10)

static void
check (char *block, uintptr_t alignment)
{
  if (block == NULL || (uintptr_t) block % alignment)
    abort ();
  memset (block, 1, SIZE);
  #pragma omp target map(tofrom: block[0:SIZE])
  for (int i = 0; i < SIZE; i++)
    block[i] += 1;
  for (int i = 0; i < SIZE; i++)
    if (block[i] != 2)
      abort ();
  if (malloc_usable_size (block) < SIZE)
    abort ();
  free (block);
}

int
main (void)
{
  void *p = NULL;

  check (malloc (SIZE), 16);
  check (calloc (SIZE / 16, 16), 16);
  check (realloc (NULL, SIZE), 16);
  check (aligned_alloc (64, SIZE), 64);
  check (memalign (8192, SIZE), 8192);
  if (posix_memalign (&p, 1 << 20, SIZE) != 0)
    abort ();
  check (p, 1 << 20);
  check (strndup (memset (calloc (SIZE + 1, 1), 'x', SIZE), SIZE), 16);
  return 0;
}
