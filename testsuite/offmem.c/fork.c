/* A child of fork works: it allocates, frees what its parent allocated, and
   runs its host code; the parent goes on offloading.  */
/* { dg-do run } */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int
main (void)
{
  int n = 100000, status;
  int *x = malloc (n * sizeof *x);

  for (int i = 0; i < n; i++)
    x[i] = i;
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += 1;

  pid_t child = fork ();
  if (child == 0)
    {
      int *y = malloc (n * sizeof *y);
      memcpy (y, x, n * sizeof *y);
      free (x);
      int right = y[0] == 1 && y[n - 1] == n;
      free (y);
      _exit (right ? 0 : 1);
    }
  if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
    abort ();

  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += 1;
  if (x[0] != 2 || x[n - 1] != n + 1)
    abort ();
  free (x);
  return 0;
}
