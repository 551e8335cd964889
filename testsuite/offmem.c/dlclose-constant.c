/* A library's constant is page-locked, and not any longer when the library
   goes.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-shared-library "aux/constant-table.c" "-foffload-memory=pinned" } */
/* { dg-additional-options "-ldl" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <dlfcn.h>
#include <offmem.h>
#include <stdlib.h>

int
main (void)
{
  struct offmem_stats stats;

  for (unsigned round = 1; round <= 3; round++)
    {
      void *library = dlopen ("./libconstant-table.so", RTLD_NOW);
      if (library == NULL)
	abort ();
      int (*work) (void) = (int (*) (void)) dlsym (library, "work");
      const int *table = (const int *) dlsym (library, "table");
      if (work == NULL || table == NULL || !work () || !work ()
	  || !offmem_is_pinned (table, 1 << 20) || dlclose (library))
	abort ();
      if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.registered_bytes != 0
	  || stats.registrations != round || stats.unregistrations != round)
	abort ();
    }
  return 0;
}
