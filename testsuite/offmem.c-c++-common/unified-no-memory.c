/* What cannot be had is refused as malloc refuses it, and what was there is unharmed.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */
/* { dg-additional-options "-Wno-alloc-size-larger-than" } */

#include <errno.h>
#include "unified.h"

int
main (void)
{
  volatile size_t too_much = PTRDIFF_MAX - 5000, half = (size_t) 1 << 33;
  char *kept = (char *) calloc (1000, 1), *volatile p;
  void *q = kept;

  expect_shared (kept, 1000);
  errno = 0;
  p = (char *) malloc (too_much);
  if (p != NULL || errno != ENOMEM)
    abort ();
  errno = 0;
  p = (char *) calloc (half, half);
  if (p != NULL || errno != ENOMEM)
    abort ();
  errno = 0;
  p = (char *) realloc (kept, too_much);
  if (p != NULL || errno != ENOMEM)
    abort ();
  p = (char *) aligned_alloc (4096, too_much & -4096);
  if (p != NULL)
    abort ();
  if (posix_memalign (&q, 64, too_much) != ENOMEM || posix_memalign (&q, 3, 8) != EINVAL
      || q != kept)
    abort ();
  expect_shared (kept, 1000);
  if (kept[0] != 0 || kept[999] != 0)
    abort ();
  free (kept);
  return 0;
}
