/* A request for far more than the machine has fails at once, as without us: nothing is
   promised that is not there.  A program goes on after it.  */
/* { dg-do run } */

#include <errno.h>
#include <malloc.h>
#include <unistd.h>
#include "heap.h"

int
main (void)
{
  size_t memory = sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);

  for (volatile size_t size = memory * 3; size <= memory * 192; size *= 2)
    {
      errno = 0;
      if (malloc (size) != NULL || errno != ENOMEM)
        abort ();
      errno = 0;
      if (calloc (1, size) != NULL || errno != ENOMEM)
        abort ();
      errno = 0;
      if (memalign (1 << 20, size) != NULL || errno != ENOMEM)
        abort ();
    }
  char *block = malloc (1 << 20);
  if (!owned (block))
    abort ();
  block[0] = 1;
  free (block);
  offload ();
  return 0;
}
