/* All that malloc_usable_size says is there can be used, on the device too.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */

#include <malloc.h>
#include <string.h>
#include "../offmem.c-c++-common/unified.h"

int
main (void)
{
  if (malloc_usable_size (NULL) != 0)
    abort ();
  for (size_t n = 1; n < 3 << 20; n = n * 3 + 1)
    {
      unsigned char *p = malloc (n), *q = malloc (n);
      size_t usable = malloc_usable_size (p);
      if (usable < n)
        abort ();
      memset (q, 7, malloc_usable_size (q));
      memset (p, 8, usable);
      expect_shared (p, usable);
      for (size_t i = 0; i < n; i += 1 + n / 100)
        if (p[i] != 8 || q[i] != 7)
          abort ();
      free (p);
      free (q);
    }
  return 0;
}
