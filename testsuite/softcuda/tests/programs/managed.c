/* What host and device may do to managed memory, and for how long: one case,
   named by the first argument.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1000

static int (*managed_alloc) (void **, size_t, unsigned);
static int (*push_current) (void *);
static int (*pop_current) (void **);
static int (*retain_primary) (void **, int);
static int (*reset_primary) (int);
static int (*host_register) (void *, size_t, unsigned);

static void
find_driver (void)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_LAZY);
  int (*init) (unsigned) = dlsym (driver, "cuInit");
  managed_alloc = dlsym (driver, "cuMemAllocManaged");
  push_current = dlsym (driver, "cuCtxPushCurrent_v2");
  pop_current = dlsym (driver, "cuCtxPopCurrent_v2");
  retain_primary = dlsym (driver, "cuDevicePrimaryCtxRetain");
  reset_primary = dlsym (driver, "cuDevicePrimaryCtxReset_v2");
  host_register = dlsym (driver, "cuMemHostRegister_v2");
  init (0);
}

static void *
manage (size_t size)
{
  void *p = NULL;
  int status = managed_alloc (&p, size, 1);
  if (status != 0)
    printf ("managed %d\n", status);
  return p;
}

static void
open_device (void)
{
  omp_target_free (omp_target_alloc (8, 0), 0);
}

/* Opens the device with its primary context current, which libgomp then
   shares.  */

static void
open_shared (void)
{
  void *primary, *popped;
  retain_primary (&primary, 0);
  push_current (primary);
  open_device ();
  pop_current (&popped);
  printf ("shared %d\n", popped == primary);
  push_current (primary);
}

/* Read when libgomp has closed the devices.  */
static volatile int *kept;

__attribute__ ((destructor)) static void
at_the_end (void)
{
  if (kept == NULL)
    return;
  printf ("at the end ");
  fflush (stdout);
  printf ("%d\n", *kept);
  fflush (stdout);
}

/* Sums and negates N ints in a kernel, at an address used as it is.  */

static void
use (int *p)
{
  int sum = 0, host = 1;
  #pragma omp target map(tofrom: sum, host) is_device_ptr(p)
  {
    host = omp_is_initial_device ();
    for (int i = 0; i < N; i++)
      {
	sum += p[i];
	p[i] = -p[i];
      }
  }
  printf ("host %d sum %d fifth %d\n", host, sum, p[5]);
}

static void
fill_and_use (int *p)
{
  for (int i = 0; i < N; i++)
    p[i] = i;
  use (p);
}

/* A list whose nodes are in allocations of their own, and counters that all
   threads of several teams add to.  */

struct node
{
  struct node *next;
  double value;
  signed char byte;
  short two;
};

static void
chase (void)
{
  struct node *list = NULL;
  for (int i = 0; i < 300; i++)
    {
      struct node *node = manage (sizeof *node);
      *node = (struct node) { list, i, -i % 100, i };
      list = node;
    }
  double sum = 0;
  #pragma omp target map(tofrom: sum) is_device_ptr(list)
  for (struct node *node = list; node; node = node->next)
    {
      sum += node->value + node->byte + node->two;
      node->byte = 1;
      node->two = 2;
    }
  int good = 1;
  for (struct node *node = list; node; node = node->next)
    good &= node->byte == 1 && node->two == 2;
  printf ("sum %g good %d\n", sum, good);

  int *counter = manage (sizeof *counter);
  long *total = manage (sizeof *total);
  #pragma omp target teams distribute parallel for is_device_ptr(counter, total)
  for (int i = 0; i < N; i++)
    {
      #pragma omp atomic
      ++*counter;
      #pragma omp atomic
      *total += i;
    }
  printf ("counter %d total %ld\n", *counter, *total);
}

/* A host thread that answers a kernel.  */

static void *
answer (void *argument)
{
  volatile int *turn = argument;
  for (int i = 0; i < 10; i++)
    {
      while (turn[0] != 2 * i + 1)
	usleep (10);
      turn[1] = 100 + i;
      __sync_synchronize ();
      turn[0] = 2 * i + 2;
    }
  return NULL;
}

static void
converse (void)
{
  int *turn = manage (2 * sizeof *turn), sum = 0;
  pthread_t thread;
  pthread_create (&thread, NULL, answer, turn);
  #pragma omp target map(tofrom: sum) is_device_ptr(turn)
  for (int i = 0; i < 10; i++)
    {
      __atomic_store_n (&turn[0], 2 * i + 1, __ATOMIC_SEQ_CST);
      while (__atomic_load_n (&turn[0], __ATOMIC_SEQ_CST) != 2 * i + 2)
	;
      sum += __atomic_load_n (&turn[1], __ATOMIC_SEQ_CST);
    }
  pthread_join (thread, NULL);
  printf ("sum %d\n", sum);
}

static void
tell_end (const char *what, pid_t child)
{
  int status;
  waitpid (child, &status, 0);
  printf ("%s signal %d code %d\n", what,
	  WIFSIGNALED (status) ? WTERMSIG (status) : 0,
	  WIFEXITED (status) ? WEXITSTATUS (status) : -1);
}

static void
fork_twice (void)
{
  volatile int *p = manage (sizeof *p);
  *p = 5;
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    _exit (*p);
  tell_end ("touching", child);
  child = fork ();
  if (child == 0)
    {
      void *start = mmap ((void *) p, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      *p = 7;
      _exit (start == p ? *p : 99);
    }
  tell_end ("replacing", child);
  printf ("parent has %d\n", *p);
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  static int in_static[N];
  int on_stack[N];

  find_driver ();
  if (!strcmp (name, "outlives"))
    {
      open_shared ();
      int *p = manage (N * sizeof *p);
      fill_and_use (p);
      kept = &p[6];
    }
  else if (!strcmp (name, "ends"))
    {
      open_device ();
      int *p = manage (N * sizeof *p);
      fill_and_use (p);
      kept = &p[6];
    }
  else if (!strcmp (name, "reset"))
    {
      void *primary;
      open_device ();
      retain_primary (&primary, 0);
      push_current (primary);
      int *p = manage (N * sizeof *p);
      pop_current (&primary);
      fill_and_use (p);
      fflush (stdout);
      reset_primary (0);
      p[0] = 1;
    }
  else
    {
      open_device ();
      if (!strcmp (name, "chase"))
	chase ();
      else if (!strcmp (name, "converse"))
	converse ();
      else if (!strcmp (name, "fork"))
	fork_twice ();
      else if (!strcmp (name, "anywhere"))
	{
	  fill_and_use (on_stack);
	  fill_and_use (in_static);
	  fill_and_use (malloc (N * sizeof (int)));
	}
      else if (!strcmp (name, "ask"))
	manage (N * sizeof (int));
      else if (!strcmp (name, "registered"))
	{
	  int *p = malloc (N * sizeof *p);
	  printf ("register %d\n", host_register (p, N * sizeof *p, 0));
	  fill_and_use (p);
	}
      else
	return 2;
    }
  return 0;
}
