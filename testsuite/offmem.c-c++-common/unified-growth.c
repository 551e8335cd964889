/* Vectors of hundreds of megabytes of which few pages are touched, many small blocks, and
   blocks that grow, shrink and come back.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 8192 } */

#include <string.h>
#include "unified.h"

enum { SMALL = 3000 };

int
main (void)
{
  char *large = (char *) malloc (300u << 20), *zeros = (char *) calloc (200u << 20, 1);
  char **small = (char **) malloc (SMALL * sizeof *small);
  long sum = 0;

  large[0] = large[(300u << 20) - 1] = 1;
  expect_shared (large, 300u << 20);
  expect_shared (zeros, 200u << 20);
  #pragma omp target map(tofrom: sum)
  for (int i = 0; i < 200; i++)
    sum += zeros[(size_t) i << 20];
  if (sum != 0)
    abort ();
  free (large);
  free (zeros);

  for (int i = 0; i < SMALL; i++)
    {
      small[i] = (char *) malloc (i % 200 + 1);
      memset (small[i], i % 100, i % 200 + 1);
    }
  #pragma omp target map(tofrom: sum)
  for (int i = 0; i < SMALL; i++)
    {
      sum += small[i][0] == i % 100 && small[i][i % 200] == i % 100;
      small[i][i % 200] = 101;
    }
  for (int i = 0; i < SMALL; i++)
    if (small[i][i % 200] != 101)
      abort ();
  if (sum != SMALL)
    abort ();
  for (int i = 0; i < SMALL; i++)
    free (small[i]);

  int *grown = NULL;
  size_t n = 0;
  while (n < 1 << 20)
    {
      size_t more = n ? 2 * n : 10;
      grown = (int *) realloc (grown, more * sizeof *grown);
      #pragma omp target
      {
        grown[n] = n;
        grown[more - 1] = more;
      }
      if (grown[n] != (int) n || grown[more - 1] != (int) more || (n && grown[n - 1] != (int) n))
        abort ();
      n = more;
    }
  while (n > 10)
    {
      n /= 3;
      grown = (int *) realloc (grown, n * sizeof *grown);
      grown[n - 1] = n;
      expect_shared (grown, n * sizeof *grown);
    }
  if (grown[0] != 0)
    abort ();
  free (grown);
  free (small);
  return 0;
}
