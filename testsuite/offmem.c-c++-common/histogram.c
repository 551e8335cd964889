/* A histogram by atomic updates from all device threads.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 20000
#define BINS 16

int
main (void)
{
  unsigned *value = (unsigned *) malloc (N * sizeof *value);
  int bin[BINS] = { 0 }, expected[BINS] = { 0 };
  unsigned state = 12345;

  for (int i = 0; i < N; i++)
    {
      state = state * 1664525u + 1013904223u;
      value[i] = state >> 28;
      expected[value[i]]++;
    }

  #pragma omp target teams distribute parallel for map(to: value[0:N]) map(tofrom: bin)
  for (int i = 0; i < N; i++)
    {
      #pragma omp atomic
      bin[value[i]]++;
    }

  for (int b = 0; b < BINS; b++)
    if (bin[b] != expected[b])
      abort ();
  free (value);
  return 0;
}
