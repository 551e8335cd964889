/* Long lists in wait clauses, with and without async: the arguments that follow
   the maps are passed on, however many.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 500

int
main (void)
{
  int *x = calloc (N, sizeof *x);
  int two = 2;

  #pragma acc enter data copyin(x[0:N]) async(1)
  #pragma acc parallel loop present(x[0:N]) async(2) wait(1)
  for (int i = 0; i < N; i++)
    x[i] += 1;
  #pragma acc parallel loop present(x[0:N]) async(3) wait(1, two)
  for (int i = 0; i < N; i++)
    x[i] *= 10;
  #pragma acc parallel loop present(x[0:N]) async(4) wait(1, two, 3) num_gangs(4) vector_length(32)
  for (int i = 0; i < N; i++)
    x[i] += 2;
  #pragma acc update self(x[0:N]) async(5) wait(1, two, 3, 4)
  #pragma acc exit data delete(x[0:N]) wait(1, two, 3, 4, 5)
  #pragma acc wait(1, two, 3, 4, 5)

  for (int i = 0; i < N; i++)
    if (x[i] != 12)
      abort ();
  free (x);
  return 0;
}
