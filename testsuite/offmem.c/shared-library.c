/* A library compiled with the option and loaded by dlopen: it is served although
   it came late, can be closed, and loaded again.  */
/* { dg-do run } */
/* { dg-shared-library "aux/sum-of-squares.c" "" } */
/* { dg-additional-options "-ldl" } */

#include <dlfcn.h>
#include <stdlib.h>

int
main (void)
{
  for (int round = 0; round < 3; round++)
    {
      void *library = dlopen ("./libsum-of-squares.so", RTLD_NOW | RTLD_LOCAL);
      if (library == NULL)
        abort ();
      int (*sum) (int) = (int (*) (int)) dlsym (library, "sum_of_squares");
      if (sum == NULL || sum (1000) != 332833500)
        abort ();
      dlclose (library);
    }
  return 0;
}
