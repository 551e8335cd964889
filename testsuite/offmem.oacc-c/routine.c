/* A function that is compiled for the device too.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 100

#pragma acc routine seq
static int
triangle (int n)
{
  int sum = 0;
  for (int i = 1; i <= n; i++)
    sum += i;
  return sum;
}

int
main (void)
{
  int x[N];

  #pragma acc parallel loop copyout(x)
  for (int i = 0; i < N; i++)
    x[i] = triangle (i);
  for (int i = 0; i < N; i++)
    if (x[i] != i * (i + 1) / 2)
      abort ();
  return 0;
}
