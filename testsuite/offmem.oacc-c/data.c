/* A "data" region around regions that find their data present.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 1200

static void
add (float *x, float value)
{
  #pragma acc parallel loop present(x[0:N])
  for (int i = 0; i < N; i++)
    x[i] += value;
}

int
main (void)
{
  float *x = calloc (N, sizeof *x);

  #pragma acc data copy(x[0:N])
  {
    add (x, 1.0f);
    #pragma acc data present(x[0:N])
    add (x, 2.0f);
  }

  for (int i = 0; i < N; i++)
    if (x[i] != 3.0f)
      abort ();
  free (x);
  return 0;
}
