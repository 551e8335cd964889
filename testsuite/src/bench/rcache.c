/* Hits in UCX's registration cache, with the same pattern as registry.rs.
   Arguments: regions, threads, hits of each thread.  Prints the nanoseconds
   that a thread has for a hit and its return.  */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucm/api/ucm.h>
#include <ucs/memory/rcache.h>

#define REGION (64 * 1024)

static ucs_rcache_t *cache;
static char *memory;
static uint64_t regions, hits;
static pthread_barrier_t barrier;

static ucs_status_t
registered (void *context, ucs_rcache_t *rcache, void *arg,
	    ucs_rcache_region_t *region, uint16_t flags)
{
  return UCS_OK;
}

static void
unregistered (void *context, ucs_rcache_t *rcache, ucs_rcache_region_t *region)
{
}

static void
dumped (void *context, ucs_rcache_t *rcache, ucs_rcache_region_t *region,
	char *buffer, size_t size)
{
}

static void
hit (uint64_t index)
{
  ucs_rcache_region_t *region;
  if (ucs_rcache_get (cache, memory + index * REGION + 4096, 4096,
		      PROT_READ | PROT_WRITE, NULL, &region) != UCS_OK)
    abort ();
  ucs_rcache_region_put (cache, region);
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

struct work
{
  pthread_t thread;
  uint64_t seed;
  double start, end;
};

static void *
run (void *argument)
{
  struct work *work = argument;
  uint64_t dice = work->seed;
  pthread_barrier_wait (&barrier);
  work->start = now ();
  for (uint64_t i = 0; i < hits; i++)
    {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      hit ((dice >> 32) * regions >> 32);
    }
  work->end = now ();
  return NULL;
}

int
main (int argc, char **argv)
{
  regions = strtoull (argv[1], NULL, 10);
  unsigned threads = strtoul (argv[2], NULL, 10);
  hits = strtoull (argv[3], NULL, 10);
  memory = mmap (NULL, regions * REGION, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    abort ();

  static const ucs_rcache_ops_t operations = { registered, unregistered, dumped };
  ucs_rcache_params_t parameters = {
    .region_struct_size = sizeof (ucs_rcache_region_t),
    .alignment = UCS_RCACHE_MIN_ALIGNMENT,
    .max_alignment = 4096,
    .ucm_events = UCM_EVENT_VM_UNMAPPED,
    .ucm_event_priority = 1000,
    .ops = &operations,
    .flags = UCS_RCACHE_FLAG_NO_PFN_CHECK,
    .max_regions = -1ul,
    .max_size = -1ul,
    .max_unreleased = -1ul,
  };
  if (ucs_rcache_create (&parameters, "bench", NULL, &cache) != UCS_OK)
    abort ();
  for (uint64_t i = 0; i < regions; i++)
    {
      ucs_rcache_region_t *region;
      if (ucs_rcache_get (cache, memory + i * REGION, REGION, PROT_READ | PROT_WRITE,
			  NULL, &region) != UCS_OK)
	abort ();
      ucs_rcache_region_put (cache, region);
    }

  struct work *works = calloc (threads, sizeof *works);
  pthread_barrier_init (&barrier, NULL, threads);
  for (unsigned i = 0; i < threads; i++)
    {
      works[i].seed = i + 1;
      if (pthread_create (&works[i].thread, NULL, run, &works[i]) != 0)
	abort ();
    }
  double start = 1e300, end = 0;
  for (unsigned i = 0; i < threads; i++)
    {
      pthread_join (works[i].thread, NULL);
      start = works[i].start < start ? works[i].start : start;
      end = works[i].end > end ? works[i].end : end;
    }
  printf ("%f\n", (end - start) / hits);
  return 0;
}
