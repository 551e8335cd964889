/* Sections of one registered block in data regions inside of each other, disjoint,
   equal and contained; and of a mapping, where sections become registered that
   touch and overlap.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N (1 << 20)
#define STEP 4096

static void
add (unsigned char *x, int start, int n)
{
  #pragma omp target map(tofrom: x[start:n])
  for (int i = start; i < start + n; i += STEP)
    x[i] += 1;
}

static void
use (unsigned char *x)
{
  memset (x, 40, N);
  #pragma omp target data map(tofrom: x[0:N / 2])
  {
    add (x, N / 4, N / 8);
    #pragma omp target data map(tofrom: x[N / 2:N / 4])
    {
      add (x, 0, N / 2);
      add (x, N / 2, N / 4);
      #pragma omp target update from(x[N / 2:N / 8])
      if (x[N / 2] != 41)
        abort ();
    }
    add (x, 3 * (N / 4), N / 4);
  }
  add (x, N / 4, N / 2);
  add (x, 0, N);
  for (int i = 0; i < N; i++)
    {
      int added = 0;
      if (i % STEP == 0)
        added = 2 + (i >= N / 4 && i < 3 * (N / 4)) + (i >= N / 4 && i < N / 4 + N / 8);
      if (x[i] != 40 + added)
        abort ();
    }
}

int
main (void)
{
  for (int round = 0; round < 3; round++)
    {
      unsigned char *x = (unsigned char *) malloc (N);
      use (x);
      free (x);
      x = (unsigned char *) mmap (NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                  -1, 0);
      use (x);
      munmap (x, N);
    }
  return 0;
}
