/* The report names each place, what it maps and how much it copied.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_REPORT "1" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-output {libgomp-offmem: report of } } */
/* { dg-output {.*strategy    register: } } */
/* { dg-output {.*copied      5\.0 MiB to the device, 5\.0 MiB from it, 100 % page-locked\n} } */
/* { dg-output {.*\n +5 +[0-9]+ +5\.0 MiB +5\.0 MiB +100 % +1 [^\n]*report-sites\.c:22 main\n +x\n} } */

#include <stdlib.h>

enum { N = 1 << 20 };

int
main (void)
{
  char *x = (char *) calloc (N, 1);

  for (int k = 0; k < 5; k++)
    {
      #pragma omp target map(tofrom: x[0:N])
      for (int i = 0; i < N; i++)
        x[i]++;
    }
  if (x[N - 1] != 5)
    abort ();
  free (x);
  return 0;
}
