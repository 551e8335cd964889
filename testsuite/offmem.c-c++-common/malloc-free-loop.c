/* Blocks of many sizes are allocated, mapped and freed in turn, so addresses
   come back with other contents: a stale registration would show.  */
/* { dg-do run } */

#include <stdlib.h>

int
main (void)
{
  for (int round = 0; round < 200; round++)
    {
      int n = 1 << (6 + round % 13);
      int *x = (int *) malloc (n * sizeof *x);
      for (int i = 0; i < n; i++)
        x[i] = round - i;

      #pragma omp target map(tofrom: x[0:n])
      for (int i = 0; i < n; i++)
        x[i] += i;

      for (int i = 0; i < n; i++)
        if (x[i] != round)
          abort ();
      free (x);
    }
  return 0;
}
