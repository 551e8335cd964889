/* A library that was not compiled with the option takes memory and gives some.  */

#include <stdlib.h>
#include <string.h>

void
stranger_free (void *p)
{
  free (p);
}

void *
stranger_realloc (void *p, size_t n)
{
  return realloc (p, n);
}

void *
stranger_malloc (size_t n)
{
  return malloc (n);
}

void *
stranger_aligned (size_t n)
{
  void *p;
  return posix_memalign (&p, 4096, n) == 0 ? p : NULL;
}

char *
stranger_strdup (const char *s)
{
  return strdup (s);
}
