/* A unit from a compiler that knows nothing of us, beside one of ours: no line,
   since "none" asks for nothing.  */
/* { dg-do run } */
/* { dg-unit "aux/twice.c" "-foffload-memory=none" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include <stdlib.h>

void twice (int *x, int n);

int
main (void)
{
  int *x = malloc (50 * sizeof *x);
  for (int i = 0; i < 50; i++)
    x[i] = i;
  #pragma omp target data map(tofrom: x[0:50])
  twice (x, 50);
  for (int i = 0; i < 50; i++)
    if (x[i] != 2 * i)
      abort ();
  free (x);
  puts ("ok");
  return 0;
}
