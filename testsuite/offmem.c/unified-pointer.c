/* malloc and free called through pointers, from a table and given to others, mixed with plain
   calls.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */

#include <string.h>
#include "../offmem.c-c++-common/unified.h"

struct allocator
{
  void *(*get) (size_t);
  void *(*resize) (void *, size_t);
  void (*put) (void *);
};

static const struct allocator table = { malloc, realloc, free };
static const struct allocator *volatile allocator = &table;

int
main (void)
{
  void *(*volatile get) (size_t) = malloc;
  void (*volatile put) (void *) = free;

  for (size_t n = 8; n < 2 << 20; n *= 8)
    {
      char *a = malloc (n), *b = get (n), *c = allocator->get (n);
      a[0] = 1;
      b[n - 1] = 2;
      c[0] = 3;
      expect_shared (a, n);
      a = allocator->resize (a, 2 * n);
      b = realloc (b, 2 * n);
      if (a[0] != 1 || b[n - 1] != 2)
        abort ();
      c = allocator->resize (c, n / 2);
      if (c[0] != 3)
        abort ();
      put (a);
      free (b);
      allocator->put (realloc (c, 3 * n));
    }
  return 0;
}
