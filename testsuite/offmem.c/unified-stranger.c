/* A library without the option frees and reallocates our memory, and we what it allocated.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 65536 } */
/* { dg-shared-library "aux/stranger.c" "-fno-openmp -foffload-memory=none" } */
/* { dg-additional-options "-L. -lstranger -Wl,-rpath,." } */

#include <malloc.h>
#include <string.h>
#include "../offmem.c-c++-common/unified.h"

void stranger_free (void *);
void *stranger_realloc (void *, size_t);
void *stranger_malloc (size_t);
void *stranger_aligned (size_t);
char *stranger_strdup (const char *);

int
main (void)
{
  static const size_t sizes[] = { 24, 3000, 200000, 3 << 20 };

  for (int round = 0; round < 20; round++)
    {
      size_t n = sizes[round % 4];
      unsigned char *ours = malloc (n), *theirs = stranger_malloc (n);
      unsigned char *aligned = stranger_aligned (n);
      int sum = 0;

      memset (ours, 3, n);
      memset (theirs, 4, n);
      memset (aligned, 5, n);
      if (malloc_usable_size (ours) < n || malloc_usable_size (theirs) < n)
        abort ();
      expect_shared (ours, n);
      /* Theirs is mapped as ever.  */
      #pragma omp target map(tofrom: theirs[0:24], sum)
      {
        for (int i = 0; i < 24; i++)
          sum += theirs[i] + ours[i];
        theirs[1] = 40;
      }
      if (sum != 24 * 7 || theirs[1] != 40)
        abort ();
      ours = stranger_realloc (ours, 2 * n);
      theirs = realloc (theirs, 2 * n);
      if (ours[0] != 3 || ours[n - 1] != 3 || theirs[1] != 40 || theirs[n - 1] != 4
          || aligned[n - 1] != 5)
        abort ();
      ours = realloc (ours, 3 * n);
      if (ours[n - 1] != 3)
        abort ();
      stranger_free (ours);
      free (theirs);
      if (round % 2)
        free (aligned);
      else
        stranger_free (realloc (aligned, n + 1));
      char *copy = stranger_strdup ("abc");
      copy = realloc (copy, 100000);
      if (strcmp (copy, "abc") != 0)
        abort ();
      free (copy);
    }
  return 0;
}
