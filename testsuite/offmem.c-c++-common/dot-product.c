/* A reduction: the scalar result comes back without being named in map.  */
/* { dg-do run } */
/* { dg-output {^dot = 333300\n$} } */

#include <stdio.h>
#include <stdlib.h>

#define N 100

int
main (void)
{
  long *x = (long *) malloc (N * sizeof *x);
  long *y = (long *) malloc (N * sizeof *y);
  long dot = 0;

  for (int i = 0; i < N; i++)
    {
      x[i] = i;
      y[i] = i + 1;
    }

  #pragma omp target teams distribute parallel for reduction(+: dot) \
      map(to: x[0:N], y[0:N]) map(tofrom: dot)
  for (int i = 0; i < N; i++)
    dot += x[i] * y[i];

  printf ("dot = %ld\n", dot);
  free (x);
  free (y);
  return dot == 333300 ? 0 : 1;
}
