/* Children of a program whose threads allocate all the time allocate and free too, big blocks
   and small ones, and find what was there before.  */
/* { dg-do run } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "heap.h"

static volatile int stop;

static void *
churn (void *argument)
{
  size_t size = (size_t) argument;
  while (!stop)
    {
      char *block = malloc (size);
      block[0] = block[size - 1] = 1;
      block = realloc (block, 3 * size);
      free (block);
    }
  return NULL;
}

int
main (void)
{
  pthread_t threads[2];
  char *before = malloc (1 << 20);

  memset (before, 5, 1 << 20);
  offload ();
  for (size_t i = 0; i < 2; i++)
    if (pthread_create (&threads[i], NULL, churn, (void *) ((size_t) 200000 << i)) != 0)
      abort ();
  for (int round = 0; round < 50; round++)
    {
      int status;
      pid_t child = fork ();
      if (child == 0)
        {
          alarm (20);
          for (int i = 0; i < 20; i++)
            {
              char *block = calloc (1, 300000 + 1000 * i);
              if (!owned (block) || block[i * 9000] != 0)
                _exit (1);
              memset (block, 1, 300000);
              free (block);
              free (malloc (100));
            }
          int right = before[12345] == 5;
          free (before);
          _exit (!right);
        }
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        abort ();
    }
  stop = 1;
  for (int i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  free (before);
  return 0;
}
