/* Maps memory for a device, if there is one, and checks what comes back. */
#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  enum { n = 1 << 20 };
  double *x = malloc (n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = i;
#pragma omp target teams distribute parallel for map(tofrom: x[:n])
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i] + 1;
  for (int i = 0; i < n; i++)
    if (x[i] != 2.0 * i + 1)
      abort ();
  puts ("right");
}
