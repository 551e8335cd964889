/* blocks COUNT MIB SECONDS [fork]

   COUNT blocks of MIB MiB are allocated, mapped in every way, changed on the device, and freed;
   SECONDS later another one.  It prints how many were the device's at their own address.  With a
   fourth argument, a child is made while they are there, which is told to end.  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int
use (unsigned char *p, size_t n)
{
  int device = omp_get_default_device (), host = omp_get_initial_device ();
  p[0] = p[n - 1] = 1;
  #pragma omp target map(tofrom: p[0:n])
  p[0]++;
  #pragma omp target enter data map(to: p[0:n])
  #pragma omp target map(always, tofrom: p[0:n])
  p[n - 1] += p[0];
  #pragma omp target update from(p[0:n])
  #pragma omp target update to(p[0:n])
  #pragma omp target exit data map(from: p[0:n])
  #pragma omp target data map(tofrom: p[0:n])
  {
    #pragma omp target
    p[0]++;
  }
  if (p[0] != 3 || p[n - 1] != 3)
    abort ();
  int present = omp_target_is_present (p, device);
  if (present && omp_target_memcpy (p, p, n, 0, 0, device, host) != 0)
    abort ();
  return present;
}

int
main (int count, char **argument)
{
  int blocks = atoi (argument[1]), shared = 0;
  size_t n = (size_t) atoi (argument[2]) << 20;
  unsigned char *p[64];
  for (int i = 0; i < blocks; i++)
    p[i] = malloc (n);
  if (count > 4)
    {
      int status;
      pid_t child = fork ();
      if (child == 0)
        _exit (7);
      if (waitpid (child, &status, 0) != child || WEXITSTATUS (status) != 7)
        abort ();
    }
  else
    for (int i = 0; i < blocks; i++)
      shared += use (p[i], n);
  for (int i = 0; i < blocks; i++)
    free (p[i]);
  sleep (atoi (argument[3]));
  p[0] = malloc (1000);
  use (p[0], 1000);
  free (p[0]);
  printf ("%d of %d\n", shared, blocks);
  return 0;
}
