/* A library with unified memory that a program without it loads.  */

#include "../../offmem.c-c++-common/unified.h"

char *
plugin_allocate (int n)
{
  char *p = malloc (n);
  for (int i = 0; i < n; i++)
    p[i] = i % 100;
  expect_shared (p, n);
  return p;
}

int
plugin_sum (char *p, int n)
{
  int sum = 0;
  #pragma omp target map(tofrom: sum)
  for (int i = 0; i < n; i++)
    sum += p[i];
  return sum;
}

void
plugin_free (char *p)
{
  free (p);
}
