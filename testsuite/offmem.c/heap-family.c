/* Every allocating function gives owned memory from 128 KiB on and libc's below, at the
   alignment asked for, and fails as glibc's does.  */
/* { dg-do run } */
/* { dg-additional-options "-fno-builtin" } */

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include "heap.h"

#define BIG (128 << 10)

static void
check (char *block, size_t size, uintptr_t alignment)
{
  if (block == NULL || (uintptr_t) block % alignment || malloc_usable_size (block) < size
      || (size >= BIG && !owned (block)))
    abort ();
  memset (block, 0x5a, size);
  errno = 77;
  free (block);
  if (errno != 77)
    abort ();
}

#define FAILS(call, error)                              \
  do                                                    \
    {                                                   \
      errno = 0;                                        \
      if ((call) != NULL || errno != (error))           \
        abort ();                                       \
    }                                                   \
  while (0)

int
main (void)
{
  size_t sizes[] = { 1, 1000, BIG - 1, BIG, BIG + 1, 1000000, 5 << 20 };
  volatile size_t huge = PTRDIFF_MAX, half = SIZE_MAX / 2;

  for (int i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      size_t size = sizes[i];
      check (malloc (size), size, 16);
      check (realloc (NULL, size), size, 16);
      check (reallocarray (NULL, 1, size), size, 16);
      check (valloc (size), size, 4096);
      check (pvalloc (size), size, 4096);
      for (size_t alignment = 8; alignment <= 16 << 20; alignment *= 2)
        {
          void *block = NULL;
          check (memalign (alignment, size), size, alignment);
          check (aligned_alloc (alignment, size), size, alignment);
          if (posix_memalign (&block, alignment, size) != 0)
            abort ();
          check (block, size, alignment);
        }
      char *zeros = calloc (size, 1);
      for (size_t j = 0; j < size; j++)
        if (zeros[j] != 0)
          abort ();
      check (zeros, size, 16);
    }

  void *block = &sizes;
  if (posix_memalign (&block, 24, BIG) != EINVAL || posix_memalign (&block, 4, BIG) != EINVAL
      || posix_memalign (&block, 64, huge) != ENOMEM || block != &sizes)
    abort ();
  FAILS (malloc (huge), ENOMEM);
  FAILS (malloc (huge * 2), ENOMEM);
  FAILS (calloc (half, 3), ENOMEM);
  FAILS (calloc (huge, 1), ENOMEM);
  FAILS (realloc (NULL, huge), ENOMEM);
  FAILS (reallocarray (NULL, half, 3), ENOMEM);
  FAILS (memalign (64, huge), ENOMEM);
  FAILS (aligned_alloc (64, huge), ENOMEM);
  FAILS (valloc (huge), ENOMEM);
  FAILS (pvalloc (huge), ENOMEM);

  /* A block that cannot grow stays as it is.  */
  char *kept = malloc (BIG);
  kept[BIG - 1] = 7;
  FAILS (realloc (kept, huge), ENOMEM);
  FAILS (reallocarray (kept, half, 3), ENOMEM);
  if (kept[BIG - 1] != 7)
    abort ();
  errno = 77;
  if (realloc (kept, 0) != NULL || errno != 77)
    abort ();

  free (NULL);
  if (malloc_usable_size (NULL) != 0)
    abort ();
  block = malloc (0);
  if (block == NULL)
    abort ();
  free (block);
  offload ();
  return 0;
}
