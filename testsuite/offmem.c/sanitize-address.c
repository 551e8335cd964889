/* Under the address sanitizer, whose runtime must come first of all libraries
   and whose malloc is in effect.  Device code cannot be sanitized: host only.  */
/* { dg-do run } */
/* { dg-require-effective-target asan } */
/* { dg-additional-options "-fsanitize=address -foffload=disable" } */
/* { dg-no-kernel "no device code" } */
/* { dg-set-target-env-var ASAN_OPTIONS "detect_leaks=0" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  for (int n = 1; n < 100000; n *= 3)
    {
      int *x = malloc (n * sizeof *x);
      #pragma omp target map(from: x[0:n])
      for (int i = 0; i < n; i++)
        x[i] = i;
      if (x[n - 1] != n - 1)
        abort ();
      free (x);
    }
  puts ("ok");
  return 0;
}
