/* Arrays on the stack, of fixed and variable size, mapped from frames at
   different depths.  */
/* { dg-do run } */

#include <stdlib.h>

static long
sum_below (int depth)
{
  int x[300];
  long sum = 0;

  for (int i = 0; i < 300; i++)
    x[i] = depth;
  #pragma omp target map(to: x) map(tofrom: sum)
  for (int i = 0; i < 300; i++)
    sum += x[i];
  return depth == 0 ? sum : sum + sum_below (depth - 1);
}

int
main (void)
{
  int n = 20000;
  int *x = (int *) __builtin_alloca (n * sizeof *x);

  for (int i = 0; i < n; i++)
    x[i] = i;
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = -x[i];

  for (int i = 0; i < n; i++)
    if (x[i] != -i)
      abort ();
  if (sum_below (10) != 300 * 55)
    abort ();
  return 0;
}
