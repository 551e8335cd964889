/* "declare": a global that lives on the device, and a local that does for the
   length of a function.  (GCC 12 drops an "update" of the whole of the first.)  */
/* { dg-do run } */

#include <stdlib.h>

#define N 300

static int table[N];
#pragma acc declare create(table)

static int
sum_of_squares (void)
{
  int square[N];
  #pragma acc declare create(square)
  int sum = 0;

  #pragma acc parallel loop present(table, square)
  for (int i = 0; i < N; i++)
    square[i] = table[i] * table[i];
  #pragma acc parallel loop present(square) reduction(+: sum)
  for (int i = 0; i < N; i++)
    sum += square[i];
  return sum;
}

int
main (void)
{
  #pragma acc parallel loop present(table)
  for (int i = 0; i < N; i++)
    table[i] = i;
  if (sum_of_squares () != 8955050)
    abort ();
  return 0;
}
