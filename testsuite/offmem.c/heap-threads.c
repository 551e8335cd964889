/* Threads pass big blocks around: what one allocates or grows, another checks and frees.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include "heap.h"

#define SLOTS 16
#define THREADS 4
#define ROUNDS 1500

static struct block
{
  size_t n;
  int mark;
  int data[];
} *slots[SLOTS];

static void *
work (void *argument)
{
  unsigned seed = (size_t) argument + 1;

  for (int round = 0; round < ROUNDS; round++)
    {
      seed = seed * 1103515245 + 12345;
      size_t n = 20000 + (seed >> 8) % 200000;
      struct block *mine = malloc (sizeof *mine + n * sizeof *mine->data);
      mine->n = n;
      mine->mark = seed;
      for (size_t i = 0; i < n; i += 512)
        mine->data[i] = seed + i;
      struct block *other = __atomic_exchange_n (&slots[(seed >> 4) % SLOTS], mine, __ATOMIC_ACQ_REL);
      if (other == NULL)
        continue;
      if (seed & 1)
        other = realloc (other, sizeof *other + (other->n + 100000) * sizeof *other->data);
      for (size_t i = 0; i < other->n; i += 512)
        if (other->data[i] != (int) (other->mark + i))
          abort ();
      free (other);
    }
  return NULL;
}

int
main (void)
{
  pthread_t threads[THREADS];

  offload ();
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, work, (void *) i) != 0)
      abort ();
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  for (int i = 0; i < SLOTS; i++)
    free (slots[i]);
  return 0;
}
