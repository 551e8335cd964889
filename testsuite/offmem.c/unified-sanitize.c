/* Under the address sanitizer memory stays the sanitizer's: one line, and right results.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-require-effective-target asan } */
/* { dg-additional-options "-fsanitize=address -foffload=disable" } */
/* { dg-no-kernel "no device code" } */
/* { dg-set-target-env-var ASAN_OPTIONS "detect_leaks=0" } */
/* { dg-output {^libgomp-offmem: [^\n]*unified[^\n]*\nok\n$} { target offload_device } } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  for (int n = 1; n < 100000; n *= 3)
    {
      int *x = malloc (n * sizeof *x), *y = calloc (n, sizeof *y);
      char *text = strdup ("plain");
      #pragma omp target map(from: x[0:n]) map(tofrom: y[0:n])
      for (int i = 0; i < n; i++)
        x[i] = i + y[i];
      x = realloc (x, (n + 10) * sizeof *x);
      if (x[n - 1] != n - 1)
        abort ();
      free (x);
      free (y);
      free (text);
    }
  puts ("ok");
  return 0;
}
