/* Threads map and unmap while one forks, each way that there is: the children
   map, unmap and allocate, and no one waits for ever.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t) 1 << 18)

extern char **environ;
static volatile int stop;

static int
map_and_unmap (void)
{
  int *x = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (x == MAP_FAILED)
    return 1;
  x[5] = 7;
  int *y = mremap (x, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
  int wrong = y == MAP_FAILED || y[5] != 7 || madvise (y, SIZE, MADV_DONTNEED) || y[5] != 0;
  return wrong || munmap (y, 2 * SIZE);
}

static void *
worker (void *unused)
{
  while (!stop)
    {
      void *block = malloc (300000);
      if (block == NULL || map_and_unmap ())
	abort ();
      free (block);
    }
  return unused;
}

static void
wait_for (pid_t child)
{
  int status;
  if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
    abort ();
}

int
main (void)
{
  pthread_t threads[3];
  char *arguments[] = { "/bin/true", NULL };
  int x = 0;

  for (int i = 0; i < 3; i++)
    if (pthread_create (&threads[i], NULL, worker, NULL))
      abort ();
  for (int round = 0; round < 50; round++)
    {
      pid_t child = fork ();
      if (child == 0)
	{
	  void *block = malloc (300000);
	  int wrong = block == NULL;
	  for (int i = 0; i < 10; i++)
	    wrong |= map_and_unmap ();
	  free (block);
	  _exit (wrong);
	}
      wait_for (child);

      /* No handler runs.  */
      child = syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
      if (child == 0)
	{
	  int wrong = 0;
	  for (int i = 0; i < 10; i++)
	    wrong |= map_and_unmap ();
	  _exit (wrong);
	}
      wait_for (child);

      child = vfork ();
      if (child == 0)
	{
	  execv (arguments[0], arguments);
	  _exit (127);
	}
      wait_for (child);

      if (posix_spawn (&child, arguments[0], NULL, NULL, arguments, environ))
	abort ();
      wait_for (child);
    }
  stop = 1;
  for (int i = 0; i < 3; i++)
    pthread_join (threads[i], NULL);

  #pragma omp target map(tofrom: x)
  x = 1;
  return x != 1;
}
