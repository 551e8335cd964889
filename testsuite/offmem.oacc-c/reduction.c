/* Sum and maximum; the results are on the host when the region ends.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 5000

int
main (void)
{
  int *x = malloc (N * sizeof *x);
  long sum = 100;
  int largest = 0;

  for (int i = 0; i < N; i++)
    x[i] = i * 7919 % N;
  #pragma acc parallel loop copyin(x[0:N]) copy(sum) reduction(+: sum)
  for (int i = 0; i < N; i++)
    sum += x[i];
  #pragma acc parallel loop copyin(x[0:N]) copy(largest) reduction(max: largest)
  for (int i = 0; i < N; i++)
    largest = x[i] > largest ? x[i] : largest;

  if (sum != 12497600 || largest != N - 1)
    abort ();
  free (x);
  return 0;
}
