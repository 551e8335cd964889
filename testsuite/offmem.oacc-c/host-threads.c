/* Several host threads with a queue each.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define N 10000

static void *
work (void *argument)
{
  int q = (int) (intptr_t) argument;

  for (int round = 0; round < 10; round++)
    {
      int *x = malloc (N * sizeof *x);
      for (int i = 0; i < N; i++)
        x[i] = q;
      #pragma acc parallel loop copy(x[0:N]) async(q)
      for (int i = 0; i < N; i++)
        x[i] += i;
      #pragma acc wait(q)
      for (int i = 0; i < N; i++)
        if (x[i] != q + i)
          abort ();
      free (x);
    }
  return NULL;
}

int
main (void)
{
  pthread_t id[4];
  for (int t = 0; t < 4; t++)
    if (pthread_create (&id[t], NULL, work, (void *) (intptr_t) (t + 1)) != 0)
      abort ();
  for (int t = 0; t < 4; t++)
    pthread_join (id[t], NULL);
  return 0;
}
