/* A library with the option is loaded by a program with it, gives memory that is used by the
   library's regions and by ours, and is unloaded before that memory is freed.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */
/* { dg-shared-library "aux/unified-plugin.c" "" } */
/* { dg-additional-options "-ldl" } */

#include <dlfcn.h>
#include "../offmem.c-c++-common/unified.h"

int
main (void)
{
  char *kept[3];

  for (int round = 0; round < 3; round++)
    {
      int n = round == 1 ? 300000 : 500;
      void *library = dlopen ("./libunified-plugin.so", RTLD_NOW | RTLD_LOCAL);
      if (library == NULL)
        abort ();
      char *(*allocate) (int) = (char *(*) (int)) dlsym (library, "plugin_allocate");
      int (*sum) (char *, int) = (int (*) (char *, int)) dlsym (library, "plugin_sum");
      void (*release) (char *) = (void (*) (char *)) dlsym (library, "plugin_free");
      char *theirs = allocate (n), *ours = malloc (n);
      kept[round] = theirs;
      expect_shared (theirs, n);
      for (int i = 0; i < n; i++)
        ours[i] = 1;
      if (sum (theirs, n) != n / 100 * 4950 || sum (ours, n) != n)
        abort ();
      release (ours);
      dlclose (library);
      expect_shared (theirs, n);
    }
  for (int round = 0; round < 3; round++)
    free (kept[round]);
  return 0;
}
