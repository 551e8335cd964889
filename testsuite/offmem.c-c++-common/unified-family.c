/* What each function of malloc's family gives is shared with the device, small or big.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */

#include <malloc.h>
#include <string.h>
#include "unified.h"

int
main (void)
{
  static const size_t sizes[] = { 1, 40, 5000, 128 << 10, 3000000 };

  for (int i = 0; i < 5; i++)
    {
      size_t size = sizes[i], align = (size_t) 64 << 2 * i;
      char *blocks[9];
      void *p;

      blocks[0] = (char *) malloc (size);
      blocks[1] = (char *) calloc (size, 1);
      blocks[2] = (char *) realloc (NULL, size);
      blocks[3] = (char *) reallocarray (NULL, size, 1);
      blocks[4] = (char *) aligned_alloc (align, (size + align - 1) & -align);
      if (posix_memalign (&p, align, size) != 0)
        abort ();
      blocks[5] = (char *) p;
      blocks[6] = (char *) memalign (align, size);
      blocks[7] = (char *) valloc (size);
      blocks[8] = (char *) malloc (size);
      for (size_t k = 0; k < size; k++)
        if (blocks[1][k] != 0)
          abort ();
      for (int k = 4; k < 7; k++)
        if ((uintptr_t) blocks[k] % align != 0)
          abort ();
      if ((uintptr_t) blocks[7] % 4096 != 0)
        abort ();
      for (int k = 0; k < 9; k++)
        {
          memset (blocks[k], k + 1, size);
          expect_shared (blocks[k], size);
        }
      blocks[8] = (char *) realloc (blocks[8], 3 * size);
      if (blocks[8][0] != 9 || blocks[8][size - 1] != 9)
        abort ();
      memset (blocks[8] + size, 9, 2 * size);
      expect_shared (blocks[8], 3 * size);
      for (int k = 0; k < 8; k++)
        for (size_t at = 0; at < size; at += size / 2 + 1)
          if (blocks[k][at] != k + 1)
            abort ();
      for (int k = 0; k < 9; k++)
        free (blocks[k]);
    }
  free (NULL);
  return 0;
}
