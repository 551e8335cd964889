/* What registering and unregistering costs, by size, by whether the pages are
   there, and by the threads that bring them in before.  */

#define _GNU_SOURCE
#include "driver.h"
#include "probe.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { MOST_THREADS = 8, ROUNDS = 3 };

/* Huge pages, and their alignment.  */
#define HUGE (2 * MIB)

struct part
{
  char *p;
  size_t size;
};

static void *
bring_in (void *argument)
{
  struct part *part = argument;
  /* Kernels before 5.14 do not know it.  */
  if (madvise (part->p, part->size, MADV_POPULATE_WRITE) != 0)
    for (size_t i = 0; i < part->size; i += 4096)
      ((volatile char *) part->p)[i] = 0;
  return NULL;
}

static void
prefault (char *p, size_t size, int threads)
{
  pthread_t others[MOST_THREADS];
  struct part parts[MOST_THREADS];
  size_t each = (size / threads + 4095) & ~(size_t) 4095;

  for (int i = 0; i < threads; i++)
    {
      size_t from = i * each < size ? i * each : size;
      parts[i] = (struct part) { p + from, size - from < each ? size - from : each };
      if (i == 0 || pthread_create (&others[i], NULL, bring_in, &parts[i]) != 0)
	others[i] = 0;
    }
  for (int i = 0; i < threads; i++)
    if (others[i])
      pthread_join (others[i], NULL);
    else
      bring_in (&parts[i]);
}

static double
milliseconds (double from, double to)
{
  return (to - from) * 1e3;
}

/* THREADS: 0 leaves it to the driver to bring the pages in.  */
static void
cost (const char *memory, size_t size, int advice, int threads)
{
  double best[3] = { 1e9, 1e9, 1e9 };
  for (int round = 0; round < ROUNDS; round++)
    {
      char *whole = mapped (size + HUGE);
      char *p = whole + (-(size_t) whole & (HUGE - 1));
      madvise (p, size, advice);
      double start = seconds ();
      if (threads > 0)
	prefault (p, size, threads);
      double there = seconds ();
      CUresult result = cu.host_register (p, size, REGISTER_PORTABLE);
      double in = seconds ();
      if (result != 0)
	{
	  printf ("%8zu MiB %-9s %d threads: error %d\n", size / MIB, memory, threads, result);
	  munmap (whole, size + HUGE);
	  return;
	}
      MUST (cu.host_unregister (p));
      double out = seconds ();
      double times[] = { milliseconds (start, there), milliseconds (there, in),
			 milliseconds (in, out) };
      for (int i = 0; i < 3; i++)
	if (times[i] < best[i])
	  best[i] = times[i];
      munmap (whole, size + HUGE);
      /* Large sizes vary little and take long.  */
      if (size > 512 * MIB)
	break;
    }
  printf ("%8zu MiB %-9s %d threads  prefault %9.3f  register %9.3f  unregister %9.3f ms\n",
	  size / MIB, memory, threads, best[0], best[1], best[2]);
  result ("{\"kind\": \"cost\", \"memory\": \"%s\", \"size\": %zu, \"threads\": %d, "
	  "\"prefault_ms\": %.4f, \"register_ms\": %.4f, \"unregister_ms\": %.4f}",
	  memory, size, threads, best[0], best[1], best[2]);
}

void
costs (size_t most)
{
  /* The driver's first registration also sets things up.  */
  char *p = mapped (MIB);
  memset (p, 1, MIB);
  MUST (cu.host_register (p, MIB, REGISTER_PORTABLE));
  MUST (cu.host_unregister (p));

  double begin = seconds (), start = begin;
  for (size_t size = MIB; size; size = next_size (size, most, begin, start, 80))
    {
      start = seconds ();
      cost ("untouched", size, MADV_NOHUGEPAGE, 0);
      for (int threads = 1; threads <= MOST_THREADS; threads *= 2)
	cost ("small", size, MADV_NOHUGEPAGE, threads);
      for (int threads = 1; threads <= MOST_THREADS; threads *= 2)
	cost ("huge", size, MADV_HUGEPAGE, threads);
    }
}
