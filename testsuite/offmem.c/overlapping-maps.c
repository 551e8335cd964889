/* Parts of one block are mapped after one another so that their edges fall into
   each other's pages and ranges.  */
/* { dg-do run } */

#include <stdlib.h>

#define N (1 << 18)

int
main (void)
{
  int *x = calloc (N, sizeof *x);

  for (int round = 0; round < 60; round++)
    {
      int first = round * 3001 % (N / 2);
      int length = N / 2 - round * 517;
      int *p = x + first;
      #pragma omp target map(tofrom: p[0:length])
      for (int i = 0; i < length; i++)
        p[i] += 1;
      for (int i = first; i < first + length; i++)
        x[i] -= 1;
    }
  for (int i = 0; i < N; i++)
    if (x[i] != 0)
      abort ();
  free (x);
  return 0;
}
