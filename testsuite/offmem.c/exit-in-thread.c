/* A thread ends the process while others allocate and free registered blocks; the
   exit status is its.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-shouldfail "exits with 3" } */
/* { dg-output {^leaving\n$} } */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 };

static pthread_barrier_t barrier;

static void
offload (unsigned char *x)
{
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += 4096)
    x[i] += 1;
}

/* Between its last region and the end it only allocates.  */
static void *
work (void *unused)
{
  unsigned char *x = calloc (N, 1);
  offload (x);
  pthread_barrier_wait (&barrier);
  for (;;)
    {
      free (x);
      x = malloc (N);
      memset (x, 1, N);
    }
  return unused;
}

static void *
leave (void *unused)
{
  unsigned char *x = calloc (N, 1);
  offload (x);
  if (x[0] != 1 || x[1] != 0)
    abort ();
  pthread_barrier_wait (&barrier);
  puts ("leaving");
  exit (3);
  return unused;
}

int
main (void)
{
  pthread_t id[3];

  pthread_barrier_init (&barrier, NULL, 3);
  for (int t = 0; t < 3; t++)
    if (pthread_create (&id[t], NULL, t < 2 ? work : leave, NULL) != 0)
      abort ();
  pthread_join (id[2], NULL);
  return 0;
}
