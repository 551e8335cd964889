/* Threads that register, copy and give back the same neighbourhood.  */

#include "common.h"
#include <pthread.h>

enum { ROUNDS = 1500, PART = SIZE / 4 };

static void *
work (void *argument)
{
  long number = (long) argument;
  int host = omp_get_initial_device (), device = omp_get_default_device ();
  unsigned char *there = omp_target_alloc (PART, device), back[64];
  unsigned state = number + 1;
  for (int i = 0; i < ROUNDS; i++)
    {
      unsigned char *p = malloc (PART + number * 4096);
      memset (p, i + number, PART);
      for (int k = 0; k < 3; k++)
        {
          state = state * 1103515245 + 12345;
          size_t o = state % (PART - 70000), n = k ? 65536 : 500;
          expect (omp_target_memcpy (there, p, n, 0, o, device, host) == 0, "a copy failed");
          expect (omp_target_memcpy (back, there, sizeof back, 0, n - sizeof back, host, device) == 0,
                  "a copy failed");
          expect (back[0] == (unsigned char) (i + number), "the device read other memory");
        }
      if (i % 3)
        free (p);
      else
        expect ((p = realloc (p, PART * 2)) != NULL, "no memory"), free (p);
    }
  omp_target_free (there, device);
  return NULL;
}

int
main (void)
{
  pthread_t threads[4];
  for (long i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, work, (void *) i);
  for (long i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  return 0;
}
