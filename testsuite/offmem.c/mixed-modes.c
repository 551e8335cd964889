/* One unit wants pinned memory, the other unified: one line names both.  The
   program is right all the same.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=pinned" } */
/* { dg-unit "aux/twice.c" "-foffload-memory=unified" } */
/* { dg-output {libgomp-offmem: [^\n]*mixed-modes\.c[^\n]*-foffload-memory=pinned[^\n]*twice\.c[^\n]*-foffload-memory=unified} } */

#include <stdlib.h>

void twice (int *x, int n);

int
main (void)
{
  int *x = malloc (50 * sizeof *x);
  #pragma omp target map(from: x[0:50])
  for (int i = 0; i < 50; i++)
    x[i] = i;
  twice (x, 50);
  for (int i = 0; i < 50; i++)
    if (x[i] != 2 * i)
      abort ();
  free (x);
  return 0;
}
