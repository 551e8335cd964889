/* A signal handler that maps and unmaps, wherever it comes: nobody waits for
   ever, and the program's own mappings are right.  */
/* { dg-do run } */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#define SIZE ((size_t) 1 << 18)

static volatile sig_atomic_t handled;

static int *
map (void)
{
  int *x = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (x == MAP_FAILED)
    abort ();
  return x;
}

static void
handler (int number)
{
  int *x = map ();
  x[0] = number;
  if (munmap (x, SIZE))
    abort ();
  handled++;
}

int
main (void)
{
  struct itimerval period = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };

  signal (SIGALRM, handler);
  setitimer (ITIMER_REAL, &period, NULL);
  while (handled < 3000)
    {
      int *x = map ();
      x[1] = 2;
      errno = EDOM;
      if (x[0] != 0 || munmap (x, SIZE) || errno != EDOM)
	abort ();
    }
  setitimer (ITIMER_REAL, &never, NULL);

  int *x = map ();
  #pragma omp target map(tofrom: x[0:1000])
  for (int i = 0; i < 1000; i++)
    x[i] += i;
  return x[999] != 999;
}
