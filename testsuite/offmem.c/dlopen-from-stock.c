/* The library again, loaded by a program that was built without the option: our
   malloc and munmap are not in effect, the redirected calls are.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=none" } */
/* { dg-shared-library "aux/sum-of-squares.c" "-foffload-memory=pinned" } */
/* { dg-additional-options "-ldl" } */

#include <dlfcn.h>
#include <stdlib.h>

int
main (void)
{
  void *library = dlopen ("./libsum-of-squares.so", RTLD_NOW);
  if (library == NULL)
    abort ();
  int (*sum) (int) = (int (*) (int)) dlsym (library, "sum_of_squares");
  for (int round = 0; round < 5; round++)
    if (sum == NULL || sum (1000) != 332833500)
      abort ();
  dlclose (library);
  return 0;
}
