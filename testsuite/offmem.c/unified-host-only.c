/* A program with a construct that it never comes to: allocation as ever, and not a word.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-no-kernel "nothing is offloaded" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (int argc, char **argv)
{
  char *last = NULL;
  int x = argc;

  for (size_t n = 1; n < 8 << 20; n *= 2)
    {
      char *p = malloc (n);
      memset (p, 1, n);
      free (last);
      last = realloc (p, n + 100);
      if (last[n - 1] != 1)
        abort ();
    }
  free (last);
  if (argc > 1)
    {
      #pragma omp target map(tofrom: x)
      x++;
    }
  puts (x == argc && argv[0] ? "ok" : "offloaded");
  return 0;
}
