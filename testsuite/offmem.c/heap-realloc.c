/* What a block holds survives realloc, whether it grows in place, moves, shrinks, or comes
   from libc and goes back there; also in turn with offloading from it.  */
/* { dg-do run } */

#include <malloc.h>
#include "heap.h"

static void
fill (int *x, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    x[i] = 3 * i + 1;
}

static void
check (const int *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (x[i] != (int) (3 * i + 1))
      abort ();
}

int
main (void)
{
  int *x = NULL, *y = NULL;
  size_t n = 0, seed = 1;

  /* Two grow by turns, so that they are in each other's way.  */
  for (size_t next = 1000; next < 12000000; next *= 2)
    {
      x = realloc (x, next * sizeof *x);
      y = realloc (y, next * sizeof *y);
      check (x, n);
      check (y, n);
      fill (x, n, next);
      fill (y, n, next);
      n = next;
      if (n * sizeof *x >= 128 << 10 && !(owned (x) && owned (y)))
        abort ();
    }
  while (n > 100)
    {
      n = n * 2 / 3;
      x = realloc (x, n * sizeof *x);
      check (x, n);
    }
  free (y);

  for (int round = 0; round < 60; round++)
    {
      seed = seed * 1103515245 + 12345;
      size_t next = 1 + (seed >> 8) % 400000;
      x = realloc (x, next * sizeof *x);
      check (x, n < next ? n : next);
      if (n < next)
        fill (x, n, next);
      n = next;
      #pragma omp target map(tofrom: x[0:n])
      for (size_t i = 0; i < n; i++)
        x[i] += 1;
      for (size_t i = 0; i < n; i++)
        x[i] -= 1;
    }
  check (x, n);
  free (x);
  return 0;
}
