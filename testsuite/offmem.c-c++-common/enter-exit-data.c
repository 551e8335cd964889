/* Data that lives on the device from "enter data" to "exit data", across
   functions that know nothing of each other's maps.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 5000

static float *
make (void)
{
  float *x = (float *) malloc (N * sizeof *x);
  for (int i = 0; i < N; i++)
    x[i] = i;
  #pragma omp target enter data map(to: x[0:N])
  return x;
}

static void
twice (float *x)
{
  #pragma omp target teams distribute parallel for map(alloc: x[0:N])
  for (int i = 0; i < N; i++)
    x[i] *= 2.0f;
}

static void
finish (float *x)
{
  #pragma omp target exit data map(from: x[0:N])
}

int
main (void)
{
  float *x = make ();
  twice (x);
  twice (x);
  finish (x);
  for (int i = 0; i < N; i++)
    if (x[i] != 4.0f * i)
      abort ();
  free (x);
  return 0;
}
