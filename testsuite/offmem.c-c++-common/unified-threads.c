/* Threads that allocate, offload and free all at once, and free what others allocated.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 65536 } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include <string.h>
#include "unified.h"

enum { THREADS = 6, ROUNDS = 25 };

static unsigned char *handed[THREADS];

static void *
work (void *argument)
{
  int number = (int) (intptr_t) argument;
  for (int round = 0; round < ROUNDS; round++)
    {
      size_t n = 1000 + 7001 * ((round * 5 + number) % 40);
      unsigned char *p = (unsigned char *) malloc (n);
      int wrong = 0;
      memset (p, number + 1, n);
      #pragma omp target map(tofrom: wrong)
      for (size_t i = 0; i < n; i += 500)
        {
          wrong += p[i] != number + 1;
          p[i] = 200;
        }
      for (size_t i = 0; i < n; i++)
        wrong += p[i] != (i % 500 ? number + 1 : 200);
      if (wrong)
        abort ();
      p = (unsigned char *) realloc (p, 2 * n);
      if (p[n - 1] != (n % 500 == 1 ? 200 : number + 1))
        abort ();
      /* Whoever comes here next frees it.  */
      free (__atomic_exchange_n (&handed[(number + round) % THREADS], p, __ATOMIC_ACQ_REL));
    }
  return NULL;
}

int
main (void)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, work, (void *) (intptr_t) i) != 0)
      abort ();
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    {
      expect_shared (handed[i], 1000);
      free (handed[i]);
    }
  return 0;
}
