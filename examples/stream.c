/* STREAM's triad, offloaded: three arrays of 32 MiB cross the bus.  */

#include <stdio.h>
#include <stdlib.h>
#include "locked.h"

int
main (void)
{
  const size_t n = 4 << 20;
  double *a = malloc (n * sizeof *a);
  double *b = malloc (n * sizeof *b);
  double *c = malloc (n * sizeof *c);
  if (!a || !b || !c)
    return EXIT_FAILURE;
  for (size_t i = 0; i < n; i++)
    {
      b[i] = i;
      c[i] = 2.0 * i;
    }

  #pragma omp target teams distribute parallel for map(to: b[0:n], c[0:n]) map(from: a[0:n])
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];

  for (size_t i = 0; i < n; i++)
    if (a[i] != 7.0 * i)
      {
        printf ("a[%zu] is wrong\n", i);
        return EXIT_FAILURE;
      }
  printf ("triad of %zu elements is right; %ld KiB of memory are locked\n", n, locked_kib ());
  free (a);
  free (b);
  free (c);
  return EXIT_SUCCESS;
}
