/* A mapping that grows by mremap, and may move: the device sees the whole.  */
/* { dg-do run } */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int
main (void)
{
  size_t n = 1 << 16;
  int *x = mmap (NULL, n * sizeof *x, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  for (int round = 0; round < 5; round++)
    {
      if (x == MAP_FAILED)
        abort ();
      for (size_t i = 0; i < n; i++)
        x[i] = i;
      #pragma omp target map(tofrom: x[0:n])
      for (size_t i = 0; i < n; i++)
        x[i] ^= 1;
      for (size_t i = 0; i < n; i++)
        if (x[i] != ((int) i ^ 1))
          abort ();
      x = mremap (x, n * sizeof *x, 2 * n * sizeof *x, MREMAP_MAYMOVE);
      n *= 2;
    }
  return 0;
}
