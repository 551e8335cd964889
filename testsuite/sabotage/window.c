/* Code that was not compiled with the option frees unified memory, and changes its size.  */

#include <stdlib.h>

static void (*volatile plain_free) (void *) = free;
static void *(*volatile plain_realloc) (void *, size_t) = realloc;

int
main (void)
{
  unsigned char *p = malloc (8 << 20);
  #pragma omp target
  p[0] = 1;
  p = plain_realloc (p, 9 << 20);
  if (p[0] != 1)
    return 1;
  plain_free (p);
  return 0;
}
