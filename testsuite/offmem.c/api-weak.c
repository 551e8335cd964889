/* A program that uses offmem.h where there is a runtime also runs where there is
   none, and uses it where it was preloaded.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=none" } */
/* { dg-output {^without\n(with: 22\n)$} } */

#include <offmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#pragma weak offmem_pin

int
main (int argc, char **argv)
{
  int x = 1;

  #pragma omp target map(tofrom: x)
  x++;
  if (x != 2)
    abort ();
  if (offmem_pin)
    {
      printf ("with: %d\n", offmem_pin (NULL, 1));
      return 0;
    }
  puts ("without");
  fflush (stdout);
  if (argc > 1)
    return 1;
  setenv ("LD_PRELOAD", "libgomp-offmem.so.1", 1);
  execl ("/proc/self/exe", argv[0], "again", (char *) NULL);
  return 1;
}
