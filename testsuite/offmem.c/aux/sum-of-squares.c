/* The library of shared-library.c and dlopen-from-stock.c.  */

#include <stdlib.h>

int
sum_of_squares (int n)
{
  int *x = malloc (n * sizeof *x);
  int sum = 0;

  for (int i = 0; i < n; i++)
    x[i] = i;
  #pragma omp target map(to: x[0:n]) map(tofrom: sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  free (x);
  return sum;
}
