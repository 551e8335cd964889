/* omp_target_memcpy of shared memory: to itself, under either device number, within it, and
   to and from the device's own memory, which alone is 8000 bytes.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 32768 } */

#include <omp.h>
#include <string.h>
#include "unified.h"

enum { N = 8000, ROW = 80 };

int
main (void)
{
  int device = omp_get_default_device (), host = omp_get_initial_device ();
  char *a = (char *) malloc (N), *b = (char *) malloc (N);
  char *own = (char *) omp_target_alloc (N, device), plain[N];

  for (int i = 0; i < N; i++)
    a[i] = plain[i] = i % 101;
  for (int to = 0; to < 2; to++)
    for (int from = 0; from < 2; from++)
      {
        int d = to ? device : host, s = from ? device : host;
        memset (b, 0, N);
        if (omp_target_memcpy (a, a, N, 0, 0, d, s) != 0
            || omp_target_memcpy (b, a, N - 10, 10, 0, d, s) != 0)
          abort ();
        if (memcmp (a, plain, N) != 0 || memcmp (b + 10, a, N - 10) != 0 || b[9] != 0)
          abort ();
      }

  /* There and back, by the host's number and by the device's.  */
  if (omp_target_memcpy (own, a, N, 0, 0, device, host) != 0)
    abort ();
  memset (b, 0, N);
  if (omp_target_memcpy (b, own, N, 0, 0, host, device) != 0 || memcmp (a, b, N) != 0)
    abort ();
  memset (b, 0, N);
  if (omp_target_memcpy (b, own, N, 0, 0, device, device) != 0 || memcmp (a, b, N) != 0)
    abort ();
  memset (b, 0, N);
  if (omp_target_memcpy (b, plain, N, 0, 0, device, host) != 0 || memcmp (a, b, N) != 0)
    abort ();

  size_t volume[2] = { 10, 20 }, to[2] = { 5, 6 }, from[2] = { 1, 2 }, all[2] = { N / ROW, ROW };
  for (int way = 0; way < 4; way++)
    {
      memset (b, 0, N);
      if (omp_target_memcpy_rect (b, way == 3 ? own : a, 1, 2, volume, to, from, all, all,
                                  way % 2 ? host : device, way / 2 ? device : host) != 0)
        abort ();
      for (int y = 0; y < N / ROW; y++)
        for (int x = 0; x < ROW; x++)
          {
            int inside = y >= 5 && y < 15 && x >= 6 && x < 26;
            if (b[y * ROW + x] != (inside ? a[(y - 4) * ROW + x - 4] : 0))
              abort ();
          }
    }
  if (omp_target_memcpy_rect (a, a, 1, 2, volume, from, from, all, all, device, host) != 0
      || memcmp (a, plain, N) != 0)
    abort ();
  expect_shared (b, N);
  omp_target_free (own, device);
  free (a);
  free (b);
  return 0;
}
