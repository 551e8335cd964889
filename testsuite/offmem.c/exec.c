/* A program that starts another by execv leaves nothing behind that disturbs:
   the second run of this one is as silent as the first.  */
/* { dg-do run } */
/* { dg-output {^first\nsecond\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  int x = 0;

  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1)
    abort ();
  puts (getenv ("SECOND") ? "second" : "first");
  fflush (stdout);
  if (getenv ("SECOND"))
    return 0;
  setenv ("SECOND", "1", 1);
  execv ("/proc/self/exe", argv);
  abort ();
}
