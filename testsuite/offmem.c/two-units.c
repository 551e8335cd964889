/* Two units with the same mode in one program: nothing is said about it.  */
/* { dg-do run } */
/* { dg-additional-sources "aux/twice.c" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include <stdlib.h>

void twice (int *x, int n);

int
main (void)
{
  int x[50];
  #pragma omp target map(from: x)
  for (int i = 0; i < 50; i++)
    x[i] = i;
  twice (x, 50);
  for (int i = 0; i < 50; i++)
    if (x[i] != 2 * i)
      abort ();
  puts ("ok");
  return 0;
}
