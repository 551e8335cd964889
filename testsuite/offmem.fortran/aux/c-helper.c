/* The C half of c-helper.f90.  */

#include <stdlib.h>

int *
make (int n)
{
  int *x = malloc (n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = i;
  return x;
}

void
give_back (int *x)
{
  free (x);
}
