/* A library loaded by dlopen allocates from the same heap; its blocks
   outlive it.  */
/* { dg-do run } */
/* { dg-shared-library "aux/allocate.c" "-foffload-memory=none" } */
/* { dg-additional-options "-ldl" } */

#define _GNU_SOURCE
#include <dlfcn.h>
#include "heap.h"

int
main (void)
{
  int flags[] = { RTLD_NOW, RTLD_LAZY | RTLD_LOCAL };

  offload ();
  for (int i = 0; i < 2; i++)
    {
      void *library = dlopen ("./liballocate.so", flags[i]);
      if (library == NULL)
        abort ();
      char *(*allocate) (size_t) = (char *(*) (size_t)) dlsym (library, "allocate");
      void (*release) (char *) = (void (*) (char *)) dlsym (library, "release");
      char *block = allocate (1 << 20), *small = allocate (100), *mine = malloc (1 << 20);
      if (!owned (block) || !owned (mine))
        abort ();
      release (mine);
      dlclose (library);
      if (block[(1 << 20) - 1] != 1)
        abort ();
      free (block);
      free (small);
    }
  return 0;
}
