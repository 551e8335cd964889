/* In normal use nothing but the program's own output appears.  */
/* { dg-do run } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>

int
main (void)
{
  int x = 0;

  #pragma omp target map(tofrom: x)
  x = 1;
  if (x)
    puts ("ok");
  return 0;
}
