/* A copy across the edge of memory that another thread has registered.  */

#include "common.h"
#include <pthread.h>

static unsigned char *memory;
static volatile int finished;

static void *
copy (void *unused)
{
  int host = omp_get_initial_device (), device = omp_get_default_device ();
  void *there = omp_target_alloc (SIZE, device);
  (void) unused;
  while (!finished)
    expect (omp_target_memcpy (there, memory, 8192, 0, SIZE / 2 - 4096, device, host) == 0,
            "a copy failed");
  return NULL;
}

int
main (void)
{
  pthread_t thread;
  memory = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset (memory, 1, SIZE);
  read_there (memory);
  pthread_create (&thread, NULL, copy, NULL);
  unsigned pinned = 0;
  for (int i = 0; i < 3000; i++)
    {
      unsigned char *half = memory + SIZE / 2;
      pinned += offmem_pin (half, SIZE / 4) == 0;
      offmem_unpin (half, SIZE / 4);
      /* And nothing is known of it any more.  */
      madvise (memory, SIZE, MADV_DONTNEED);
    }
  finished = 1;
  pthread_join (thread, NULL);
  expect (pinned > 0, "it never was registered");
  return 0;
}
