/* Reductions over shared memory into scalars, atomic updates of shared and of mapped elements,
   private copies of arrays.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 6000, BINS = 8 };

int
main (void)
{
  int *a = (int *) malloc (N * sizeof *a), *bins = (int *) calloc (BINS, sizeof *bins);
  int sum = 0, most = -1, stack[BINS] = { 0 }, first[3] = { 7, 8, 9 }, *total;

  total = (int *) calloc (1, sizeof *total);
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % 1000;
  #pragma omp target teams distribute parallel for map(tofrom: sum) reduction(+: sum)
  for (int i = 0; i < N; i++)
    sum += a[i];
  #pragma omp target teams distribute parallel for map(tofrom: most) reduction(max: most)
  for (int i = 0; i < N; i++)
    most = a[i] > most ? a[i] : most;
  int expected = 0;
  for (int i = 0; i < N; i++)
    expected += a[i];
  if (sum != expected || most != 999)
    abort ();
  #pragma omp target parallel for map(tofrom: bins[0:BINS], stack)
  for (int i = 0; i < N; i++)
    {
      #pragma omp atomic
      bins[a[i] % BINS]++;
      #pragma omp atomic
      stack[i % BINS]++;
    }
  for (int b = 0; b < BINS; b++)
    if (bins[b] != N / BINS || stack[b] != N / BINS)
      abort ();
  #pragma omp target firstprivate(first)
  for (int i = 0; i < N; i++)
    {
      a[i] = first[i % 3];
      first[i % 3]++;
      #pragma omp atomic
      *total += a[i];
    }
  if (first[0] != 7 || a[0] != 7 || a[5] != 10 || *total != 3 * (N / 3) * (N / 3 - 1) / 2 + 8 * N)
    abort ();
  free (a);
  free (bins);
  free (total);
  return 0;
}
