/* A device that cannot register host memory: one line, and the program goes on.  */
/* { dg-do run { target offload_device } } */
/* { dg-set-target-env-var SOFTCUDA_HOST_REGISTER "0" } */
/* { dg-output {^libgomp-offmem: memory is left unpinned: this device cannot register host memory\nok\n$} } */

#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  enum { N = 1 << 20 };
  char *x = calloc (N, 1);

  for (int k = 0; k < 3; k++)
    {
      #pragma omp target map(tofrom: x[0:N])
      x[k]++;
    }
  if (x[0] != 1 || x[2] != 1)
    abort ();
  free (x);
  puts ("ok");
  return 0;
}
