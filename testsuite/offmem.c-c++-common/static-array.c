/* Big static arrays, initialised and not, whole and in part.  */
/* { dg-do run } */

#include <stdlib.h>

#define N (1 << 20)

static int zeros[N];
static int filled[N] = { 1, 2, 3, 4 };

int
main (void)
{
  #pragma omp target map(tofrom: zeros) map(to: filled)
  for (int i = 0; i < N; i++)
    zeros[i] += filled[i] + i;

  for (int i = 0; i < N; i++)
    if (zeros[i] != i + (i < 4 ? i + 1 : 0))
      abort ();

  #pragma omp target map(from: zeros[N / 2:N / 4])
  for (int i = N / 2; i < N / 2 + N / 4; i++)
    zeros[i] = 7;

  if (zeros[N / 2 - 1] != N / 2 - 1 || zeros[N / 2] != 7
      || zeros[N / 2 + N / 4 - 1] != 7 || zeros[N / 2 + N / 4] != N / 2 + N / 4)
    abort ();
  return 0;
}
