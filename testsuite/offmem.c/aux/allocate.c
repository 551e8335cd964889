#include <stdlib.h>

char *
allocate (size_t size)
{
  char *block = malloc (size);
  block[0] = block[size - 1] = 1;
  return block;
}

void
release (char *block)
{
  free (block);
}
