/* Children of a program whose threads allocate and offload all the time.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-additional-options "-pthread" } */

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../offmem.c-c++-common/unified.h"

static volatile int stop;

static void *
work (void *argument)
{
  size_t n = (size_t) argument;
  for (int round = 0; !stop; round++)
    {
      unsigned char *p = malloc (n);
      p[0] = p[n - 1] = 1;
      if (round % 16 == 0)
        {
          #pragma omp target
          p[0] = 2;
          if (p[0] != 2)
            abort ();
        }
      p = realloc (p, 2 * n);
      free (p);
    }
  return NULL;
}

int
main (void)
{
  pthread_t threads[2];
  unsigned char *before = malloc (5000);

  memset (before, 5, 5000);
  expect_shared (before, 5000);
  for (size_t i = 0; i < 2; i++)
    if (pthread_create (&threads[i], NULL, work, (void *) ((size_t) 300 << 8 * i)) != 0)
      abort ();
  for (int round = 0; round < 10; round++)
    {
      int status;
      pid_t child = fork ();
      if (child == 0)
        {
          alarm (20);
          for (int i = 0; i < 50; i++)
            {
              unsigned char *p = calloc (1, 100 + 3000 * i);
              if (p[50 + 1000 * i] != 0)
                _exit (1);
              memset (p, 1, 100 + 3000 * i);
              free (p);
            }
          for (int i = 0; i < 5000; i++)
            if (before[i] != 5)
              _exit (2);
          before[7] = 6;
          free (before);
          _exit (0);
        }
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        abort ();
    }
  stop = 1;
  for (int i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  if (before[7] != 5)
    abort ();
  free (before);
  return 0;
}
