/* STREAM's triad, offloaded: three arrays of 32 MiB cross the bus in each
   round.  */

#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  const size_t n = 4 << 20;
  const int rounds = 6;
  double *a = malloc (n * sizeof *a);
  double *b = malloc (n * sizeof *b);
  double *c = malloc (n * sizeof *c);
  if (!a || !b || !c)
    return EXIT_FAILURE;

  for (int round = 0; round < rounds; round++)
    {
      for (size_t i = 0; i < n; i++)
        {
          b[i] = i + round;
          c[i] = 2.0 * i;
        }

      #pragma omp target teams distribute parallel for map(to: b[0:n], c[0:n]) map(from: a[0:n])
      for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];

      for (size_t i = 0; i < n; i++)
        if (a[i] != 7.0 * i + round)
          {
            printf ("a[%zu] is wrong in round %d\n", i, round);
            return EXIT_FAILURE;
          }
    }
  printf ("%d triads of %zu elements are right\n", rounds, n);
  free (a);
  free (b);
  free (c);
  return EXIT_SUCCESS;
}
