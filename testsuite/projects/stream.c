/* A project's program: one region on its data.  */
#include <stdlib.h>

int
main (void)
{
  int n = 100000, *a = calloc (n, sizeof *a);

  if (a == NULL)
    return 2;
  #pragma omp target map(tofrom: a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = i;
  return a[n - 1] != n - 1;
}
