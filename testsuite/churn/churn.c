/* churn SEED OPERATIONS [THREADS]

   Ends with status 0 and one line if each operation gave what it had to.
   An error names the operation, and how to run it again.  */

#define _GNU_SOURCE
#include "churn.h"
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long seed, operations;
static unsigned threads = 1;
static struct worker *workers;
static volatile int finished;

/* Where each worker is, also when libgomp ends the program.  */
static void
say_where (void)
{
  char line[256];
  if (finished)
    return;
  for (unsigned i = 0; i < threads && workers; i++)
    {
      int n = snprintf (line, sizeof line, "churn: thread %u was at operation %lu (%s)\n", i,
                        workers[i].operation, workers[i].doing);
      if (write (2, line, n) != n)
        _exit (1);
    }
  int n = snprintf (line, sizeof line, "churn: again: churn %lu %lu %u\n", seed, operations, threads);
  if (write (2, line, n) != n)
    _exit (1);
}

void
fail (struct worker *w, const char *format, ...)
{
  char line[512];
  va_list arguments;
  int n = snprintf (line, sizeof line, "churn: seed %lu, thread %d, operation %lu, %s: ", seed,
                    w->number, w->operation, w->doing);
  va_start (arguments, format);
  n += vsnprintf (line + n, sizeof line - n, format, arguments);
  va_end (arguments);
  line[n++] = '\n';
  if (write (2, line, n) == n)
    say_where ();
  _exit (1);
}

static void
make (struct worker *w, struct slot *s)
{
  size_t kind = below (w, 200);
  if (kind < 120)
    make_heap (w, s);
  else if (kind < 192)
    make_pages (w, s);
  else
    make_segment (w, s);
}

static void
end (struct worker *w, struct slot *s)
{
  unmap (w, s);
  s->pinned_n = 0;
  same (w, s->p, s->shadow, s->n, "at its end, memory has");
  switch (s->kind)
    {
    case HEAP:
      end_heap (w, s);
      break;
    case PAGES:
      end_pages (w, s);
      break;
    case SEGMENT:
      end_segment (w, s);
      break;
    default:
      end_library (w, s);
    }
  s->kind = NONE;
  s->there = s->apart;
}

static void
change (struct worker *w, struct slot *s)
{
  static void (*const how[]) (struct worker *, struct slot *) = {
    [HEAP] = change_heap, [PAGES] = change_pages, [SEGMENT] = change_segment,
    [LIBRARY] = change_library, [STATIC_DATA] = NULL
  };
  if (!how[s->kind])
    return;
  unmap (w, s);
  s->pinned_n = 0;
  how[s->kind] (w, s);
}

/* The first two are there to stay.  */
static struct slot *
any_slot (struct worker *w)
{
  return &w->slots[below (w, SLOTS)];
}

static void
step (struct worker *w)
{
  struct slot *s = any_slot (w);
  size_t what = below (w, 10000);
  w->doing = "a copy";
  if (UNIFIED && one_in (w, 100))
    passing (w);
  if (what < 10)
    child (w);
  else if (what < 40)
    {
      change_library (w, (unmap (w, &w->slots[1]), &w->slots[1]));
      s = &w->slots[1];
      s->pinned_n = 0;
    }
  else if (what < 900 && s - w->slots >= 2)
    {
      end (w, s);
      make (w, s);
    }
  else if (what < 1800 && s->kind != LIBRARY)
    change (w, s);
  else if (what < 2200)
    (s->mapped_n ? unmap : map) (w, s);
  else if (what < 4500 && s->mapped_n)
    update (w, s);
  else if (what < 4700)
    region (w, s);
  else if (what < 4800 && !s->mapped_n)
    data (w, s);
  else if (what < 4900 && !s->mapped_n)
    straddle (w, s);
  else if (what < 5200)
    rectangle (w, s);
  else if (what < 5250)
    stack (w);
  else if (what < 5400)
    pin (w, s);
  else if (what < 6000)
    common (w);
  else if (what < 6300)
    pull (w, s, large_part (w, s->n));
  else if (what < 6600)
    push (w, s, large_part (w, s->n));
  if (what < 1800 && one_in (w, 2))
    push (w, s, (struct part) { 0, s->n });
  touch (w, s);
}

static void *
work (void *argument)
{
  struct worker *w = argument;
  begin_device ((seed + w->number) % omp_get_num_devices ());
  w->scratch = omp_target_alloc (SLOT_MAX, device);
  w->bounce = plain_memory (SLOT_MAX);
  for (int i = 0; i < SLOTS; i++)
    {
      w->slots[i].shadow = plain_memory (SLOT_MAX);
      w->slots[i].apart = w->slots[i].there = plain_memory (SLOT_MAX);
      (i == 0 ? make_static : i == 1 ? make_library : make) (w, &w->slots[i]);
    }
  for (w->operation = 1; w->operation <= w->operations; w->operation++)
    step (w);
  for (int i = 0; i < SLOTS; i++)
    {
      unmap (w, &w->slots[i]);
      if (i > 0)
        end (w, &w->slots[i]);
    }
  omp_target_free (w->scratch, device);
  return NULL;
}

static void
begin_table (void)
{
  struct worker random = { .state = seed };
  table = plain_memory (TABLE);
  for (size_t i = 0; i < TABLE; i += 8)
    {
      uint64_t word = draw (&random);
      memcpy (table + i, &word, 8);
    }
}

int
main (int count, char **arguments)
{
  if (count < 3)
    {
      fputs ("churn SEED OPERATIONS [THREADS]\n", stderr);
      return 2;
    }
  seed = strtoul (arguments[1], NULL, 0);
  operations = strtoul (arguments[2], NULL, 0);
  if (count > 3)
    threads = strtoul (arguments[3], NULL, 0);
  if (omp_get_num_devices () == 0)
    {
      fputs ("churn: no device\n", stderr);
      return 77;
    }
  begin_table ();
  begin_common ();
  begin_libraries (arguments[0]);
  workers = calloc (threads, sizeof *workers);
  atexit (say_where);
  pthread_t *ids = calloc (threads, sizeof *ids);
  for (unsigned i = 0; i < threads; i++)
    {
      workers[i].number = i;
      workers[i].state = seed * 1000003 + i;
      workers[i].operations = operations / threads;
      if (pthread_create (&ids[i], NULL, work, &workers[i]) != 0)
        abort ();
    }
  for (unsigned i = 0; i < threads; i++)
    pthread_join (ids[i], NULL);
  finished = 1;
  printf ("churn: seed %lu: %lu operations\n", seed, operations / threads * threads);
  return 0;
}
