/* A pointer that the device has for itself is given the address of shared memory, by map, by
   update and by a region.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 8192 } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include "unified.h"

enum { N = 1500 };

struct table
{
  int n;
  int *rows[3];
};

#pragma omp declare target
int *current;
struct table table;

static int
sum (void)
{
  int result = 0;
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < table.n; i++)
      result += table.rows[r][i];
  return result + current[0];
}
#pragma omp end declare target

int
main (void)
{
  int result = 0;

  table.n = N;
  for (int r = 0; r < 3; r++)
    {
      table.rows[r] = (int *) malloc (N * sizeof (int));
      for (int i = 0; i < N; i++)
        table.rows[r][i] = r;
    }
  current = table.rows[1];
  #pragma omp target update to(current, table)
  #pragma omp target map(from: result)
  result = sum ();
  if (result != 3 * N + 1)
    abort ();
  #pragma omp target map(always, from: current)
  {
    current = table.rows[2];
    current[5] = 500;
  }
  if (current != table.rows[2] || current[5] != 500)
    abort ();
  for (int r = 0; r < 3; r++)
    {
      expect_shared (table.rows[r], N * sizeof (int));
      free (table.rows[r]);
    }
  return 0;
}
