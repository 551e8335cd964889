/* Sections of one array, with different directions and lower bounds: nothing
   outside them changes.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 900

int
main (void)
{
  int *x = (int *) malloc (N * sizeof *x);
  int *in = x, *inout = x + 300, *out = x + 600;

  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma omp target map(to: in[10:100]) map(tofrom: inout[50:100]) map(from: out[150:100])
  for (int i = 0; i < 100; i++)
    {
      out[150 + i] = in[10 + i] + inout[50 + i];
      inout[50 + i] = -1;
    }

  for (int i = 0; i < N; i++)
    {
      int expected = i;
      if (i >= 350 && i < 450)
        expected = -1;
      else if (i >= 750 && i < 850)
        expected = (i - 740) + (i - 400);
      if (x[i] != expected)
        abort ();
    }
  free (x);
  return 0;
}
