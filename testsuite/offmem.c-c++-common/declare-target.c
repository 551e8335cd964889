/* Global variables and functions that exist on the device as well; the array
   is kept in step by "target update".  */
/* { dg-do run } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include <stdlib.h>

#define N 256

#pragma omp declare target
int table[N];
int offset = 7;

static int
look_up (int i)
{
  return table[i % N] + offset;
}
#pragma omp end declare target

int
main (void)
{
  int sum = 0;

  for (int i = 0; i < N; i++)
    table[i] = i;
  offset = 10;
  #pragma omp target update to(table, offset)

  #pragma omp target map(tofrom: sum)
  for (int i = 0; i < 2 * N; i++)
    {
      sum += look_up (i);
      table[i % N] = 5;
    }

  #pragma omp target update from(table)
  if (sum != 39040 || table[0] != 5 || table[N - 1] != 5)
    abort ();
  return 0;
}
