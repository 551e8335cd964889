/* map(always, ...) copies even where the data is there already.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 64

int
main (void)
{
  int *x = (int *) calloc (N, sizeof *x);

  #pragma omp target data map(to: x[0:N])
  {
    for (int i = 0; i < N; i++)
      x[i] = i;
    #pragma omp target map(always, tofrom: x[0:N])
    for (int i = 0; i < N; i++)
      x[i] += 100;
    for (int i = 0; i < N; i++)
      if (x[i] != i + 100)
        abort ();
  }
  free (x);
  return 0;
}
