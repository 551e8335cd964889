/* Reductions other than a sum: the smallest and the largest element.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 1000

int
main (void)
{
  int *x = (int *) malloc (N * sizeof *x);
  int smallest = 1000000, largest = -1000000;

  /* 7919 is prime to N, so this is each of -500 ... 499 once.  */
  for (int i = 0; i < N; i++)
    x[i] = i * 7919 % N - 500;

  #pragma omp target teams distribute parallel for map(to: x[0:N]) \
      map(tofrom: smallest) reduction(min: smallest)
  for (int i = 0; i < N; i++)
    smallest = x[i] < smallest ? x[i] : smallest;

  #pragma omp target teams distribute parallel for map(to: x[0:N]) \
      map(tofrom: largest) reduction(max: largest)
  for (int i = 0; i < N; i++)
    largest = x[i] > largest ? x[i] : largest;

  if (smallest != -500 || largest != 499)
    abort ();
  free (x);
  return 0;
}
