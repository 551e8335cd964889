/* A constant array lies in read-only pages, which cannot be pinned for writing;
   mapping it must work all the same.  */
/* { dg-do run } */

#include <stdlib.h>

static const short weight[4096] = { 3, 1, 4, 1, 5, 9, 2, 6 };

int
main (void)
{
  int sum = 0;

  #pragma omp target map(to: weight) map(tofrom: sum)
  for (int i = 0; i < 4096; i++)
    sum += weight[i];

  if (sum != 31)
    abort ();
  return 0;
}
