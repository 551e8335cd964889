/* Memory from mmap is mapped to the device, given back by munmap and mapped
   again at the same address with new contents, which the device must see.  */
/* { dg-do run } */

#include <stdlib.h>
#include <sys/mman.h>

#define N (1 << 18)

static int *
map_pages (void *address)
{
  int fixed = address ? MAP_FIXED : 0;
  void *p = mmap (address, N * sizeof (int), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (p == MAP_FAILED)
    abort ();
  return (int *) p;
}

int
main (void)
{
  int *x = NULL;

  for (int round = 0; round < 4; round++)
    {
      long sum = 0;
      x = map_pages (x);
      for (int i = 0; i < N; i++)
        x[i] = round;

      #pragma omp target map(tofrom: x[0:N], sum)
      for (int i = 0; i < N; i++)
        {
          sum += x[i];
          x[i] = -1;
        }

      if (sum != (long) round * N || x[0] != -1 || x[N - 1] != -1)
        abort ();
      munmap (x, N * sizeof *x);
    }
  return 0;
}
