/* A program that maps all that it uses: right wherever its memory is.  N is the number of elements.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  int *p = malloc (N * sizeof *p), *q = calloc (N, sizeof *q);
  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < N; i++)
        p[i] = i + round;
      #pragma omp target map(to: p[0:N]) map(tofrom: q[0:N])
      for (int i = 0; i < N; i += 7)
        q[i] += p[i];
      #pragma omp target enter data map(to: p[0:N])
      #pragma omp target
      p[round] = 1000;
      #pragma omp target update from(p[0:3])
      #pragma omp target exit data map(delete: p[0:N])
      if (p[round] != 1000)
        abort ();
      p = realloc (p, (N + 5000 * round) * sizeof *p);
      char *text = strdup ("plain");
      free (text);
    }
  for (int i = 0; i < N; i++)
    if (q[i] != (i % 7 ? 0 : 3 * i + 3))
      abort ();
  free (p);
  free (q);
  puts ("ok");
  return 0;
}
