/* A library with static data that the device has seen goes and comes again,
   most likely to the same place.  */
/* { dg-do run } */
/* { dg-shared-library "aux/static-table.c" "-foffload-memory=pinned" } */
/* { dg-additional-options "-ldl" } */

#include <dlfcn.h>
#include <stdlib.h>

int
main (void)
{
  for (int round = 0; round < 5; round++)
    {
      void *library = dlopen ("./libstatic-table.so", RTLD_NOW);
      if (library == NULL)
	abort ();
      int (*work) (int) = (int (*) (int)) dlsym (library, "work");
      if (work == NULL || !work (100 * round) || dlclose (library))
	abort ();
    }
  return 0;
}
