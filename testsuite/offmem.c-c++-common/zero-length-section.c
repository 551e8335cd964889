/* A section of length zero maps nothing, but finds the device address of
   memory that is there already; of NULL it is NULL.  */
/* { dg-do run } */

#include <stdlib.h>

int
main (void)
{
  int n = 400, none = 0, sum = 0;
  int *x = (int *) malloc (n * sizeof *x);
  int *nothing = NULL;

  for (int i = 0; i < n; i++)
    x[i] = i;

  #pragma omp target enter data map(to: x[0:n])
  #pragma omp target map(alloc: x[0:none]) map(to: nothing[0:none]) map(tofrom: sum)
  {
    for (int i = 0; i < n; i++)
      sum += x[i];
    if (nothing != NULL)
      sum = -1;
  }
  #pragma omp target exit data map(release: x[0:n])

  if (sum != 79800)
    abort ();
  free (x);
  return 0;
}
