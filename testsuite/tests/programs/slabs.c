/* Blocks of which OFFMEM_UNIFIED_POOL has room for one, each too big for the slab of the one before.
   They are written, mapped and changed on the device.  Whatever memory they are, what is printed is the same.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 8 << 20, STEP = 50000 };

int
main (void)
{
  unsigned long sum = 0;
  for (int round = 0; round < 4; round++)
    {
      unsigned char *p = malloc (SIZE + ((size_t) round << 20)), *q = calloc (1, SIZE / 2);
      memset (p, round + 1, SIZE);
      #pragma omp target map(tofrom: p[0:SIZE]) map(tofrom: q[0:SIZE / 2])
      for (int i = 0; i < SIZE / 2; i += STEP)
        {
          q[i] += p[i];
          p[2 * i] += q[i];
        }
      p = realloc (p, SIZE + (SIZE >> 2));
      #pragma omp target enter data map(to: p[0:SIZE])
      #pragma omp target map(to: p[0:SIZE])
      p[STEP] += 3;
      #pragma omp target update from(p[0:SIZE])
      #pragma omp target exit data map(from: p[0:SIZE])
      for (int i = 0; i < SIZE / 2; i += STEP)
        sum = sum * 31 + p[2 * i] + q[i];
      free (p);
      free (q);
    }
  printf ("%lx\n", sum);
  return 0;
}
