/* Threads from pthread_create that offload and end, one after the other; what one
   allocated, the next frees.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include <stdlib.h>

#define N 50000

static void *
work (void *previous)
{
  free (previous);
  int *x = malloc (N * sizeof *x);
  #pragma omp target map(from: x[0:N])
  for (int i = 0; i < N; i++)
    x[i] = i;
  if (x[N - 1] != N - 1)
    abort ();
  return x;
}

int
main (void)
{
  void *block = NULL;
  for (int i = 0; i < 20; i++)
    {
      pthread_t id;
      if (pthread_create (&id, NULL, work, block) != 0 || pthread_join (id, &block) != 0)
        abort ();
    }
  free (block);
  return 0;
}
