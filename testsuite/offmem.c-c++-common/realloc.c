/* A block that grows by realloc between regions, and so moves: what was pinned
   at the old address must not be used for the new one.  */
/* { dg-do run } */

#include <stdlib.h>

int
main (void)
{
  size_t n = 1000;
  int *x = (int *) malloc (n * sizeof *x);

  for (size_t i = 0; i < n; i++)
    x[i] = i;
  for (int round = 0; round < 10; round++)
    {
      #pragma omp target map(tofrom: x[0:n])
      for (size_t i = 0; i < n; i++)
        x[i] += 1;

      size_t old = n;
      n *= 2;
      x = (int *) realloc (x, n * sizeof *x);
      for (size_t i = old; i < n; i++)
        x[i] = i + round + 1;
    }

  for (size_t i = 0; i < n; i++)
    if (x[i] != (int) i + 10)
      abort ();
  free (x);
  return 0;
}
