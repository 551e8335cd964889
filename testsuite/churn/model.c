/* Random numbers, contents, and the comparison with the model.  */

#include "churn.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread int device;
__thread unsigned char *device_table;
unsigned char *table;

/* splitmix64  */
uint64_t
draw (struct worker *w)
{
  uint64_t x = w->state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Less than N, which is not 0.  */
size_t
below (struct worker *w, size_t n)
{
  return draw (w) % n;
}

int
one_in (struct worker *w, size_t n)
{
  return below (w, n) == 0;
}

/* Of a new block: most are a little above what the runtime cares for.  */
size_t
any_size (struct worker *w)
{
  size_t kind = below (w, 100);
  if (kind < 15)
    return 1024 + below (w, 63 << 10);
  if (kind < 25)
    return (64 << 10) - 32 + below (w, 64);
  if (kind < 85)
    return (64 << 10) + below (w, 192 << 10);
  if (kind < 98)
    return (256 << 10) + below (w, 512 << 10);
  return (1 << 20) + below (w, 2 << 20);
}

static size_t
least (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* A small part of N bytes, sometimes at the very edge.  */
struct part
any_part (struct worker *w, size_t n)
{
  size_t most = one_in (w, 4) ? 8192 : 200;
  struct part part = { 0, 1 + below (w, least (n, most)) };
  size_t room = n - part.n;
  switch (below (w, 8))
    {
    case 0:
      break;
    case 1:
      part.o = room;
      break;
    case 2:
      /* Across the edge of a page.  */
      part.o = least (room, (below (w, n) & -PAGE) + PAGE - part.n / 2);
      break;
    default:
      part.o = below (w, room + 1);
    }
  return part;
}

/* Of all sizes: a half, a quarter, all, all but some bytes at the edges.  */
struct part
large_part (struct worker *w, size_t n)
{
  struct part part = { 0, n };
  switch (below (w, 8))
    {
    case 0:
      part.n = n / 2 + 1;
      break;
    case 1:
      part = (struct part) { n / 4, n / 2 + 1 };
      break;
    case 2:
      part.o = n / 2;
      part.n = n - part.o;
      break;
    case 3:
      part.o = below (w, least (n, 64));
      part.n = n - part.o;
      part.n -= below (w, least (part.n, 64));
      break;
    case 4:
      part.o = below (w, n);
      part.n = 1 + below (w, n - part.o);
      break;
    default:
      break;
    }
  return part;
}

/* Zeros whose coming and going no hook sees.  */
void *
plain_memory (size_t size)
{
  long p = syscall (SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  if (p == -1)
    abort ();
  return (void *) p;
}

static size_t
any_content (struct worker *w, size_t n)
{
  return below (w, TABLE - n + 1);
}

int
is_shared (const struct slot *s)
{
  return s->there == s->shadow;
}

/* This thread uses a device, for itself or beside others.  */
void
begin_device (int number)
{
  device = number;
  omp_set_default_device (device);
  device_table = omp_target_alloc (TABLE, device);
  if (!device_table
      || omp_target_memcpy (device_table, table, TABLE, 0, 0, device, omp_get_initial_device ()) != 0)
    abort ();
}

/* A slot, of which nothing is mapped, has other memory: is it shared?  */
void
settle (struct worker *w, struct slot *s)
{
  int shared = UNIFIED && s->kind == HEAP && omp_target_is_present (s->p, device);
  if (shared && !omp_target_is_present (s->p + s->n - 1, device))
    fail (w, "a block at %p is shared in part", (void *) s->p);
  if (UNIFIED && s->kind == HEAP && !shared && !getenv ("OFFMEM_UNIFIED_POOL"))
    fail (w, "a block at %p is not shared", (void *) s->p);
  s->there = shared ? s->shadow : s->apart;
}

/* A part comes to the device.  */
void
arrive (struct slot *s, struct part part)
{
  if (!is_shared (s))
    memcpy (s->there + part.o, s->shadow + part.o, part.n);
}

/* And back.  */
void
leave (struct slot *s, struct part part)
{
  if (!is_shared (s))
    memcpy (s->shadow + part.o, s->there + part.o, part.n);
}

/* The host writes.  */
void
fill (struct worker *w, struct slot *s, struct part part)
{
  const unsigned char *content = table + any_content (w, part.n);
  memcpy (s->p + part.o, content, part.n);
  memcpy (s->shadow + part.o, content, part.n);
}

void
same (struct worker *w, const void *is, const void *expected, size_t n, const char *what)
{
  const unsigned char *a = is, *b = expected;
  if (memcmp (a, b, n) == 0)
    return;
  size_t first = 0, wrong = 0;
  while (a[first] == b[first])
    first++;
  for (size_t i = first; i < n; i++)
    wrong += a[i] != b[i];
  fail (w, "%s: %zu of %zu bytes are wrong, the first at %zu (%#x for %#x)", what, wrong, n,
        first, a[first], b[first]);
}

void
copied (struct worker *w, int result)
{
  if (result != 0)
    fail (w, "a copy failed");
}

/* The device reads a part, directly.  */
void
push (struct worker *w, struct slot *s, struct part part)
{
  int host = omp_get_initial_device ();
  copied (w, omp_target_memcpy (w->scratch, s->p, part.n, 0, part.o, device, host));
  /* Of a large one only some is looked at.  */
  size_t looks = part.n <= 65536 ? 1 : 3;
  for (size_t i = 0; i < looks; i++)
    {
      struct part look = part.n <= 4096 ? (struct part) { 0, part.n } : any_part (w, part.n);
      if (looks == 1)
        look = (struct part) { 0, part.n };
      copied (w, omp_target_memcpy (w->bounce, w->scratch, look.n, 0, look.o, host, device));
      same (w, w->bounce, s->shadow + part.o + look.o, look.n, "the device read");
    }
}

/* The device writes a part, directly.  */
void
pull (struct worker *w, struct slot *s, struct part part)
{
  size_t content = any_content (w, part.n);
  copied (w, omp_target_memcpy (s->p, device_table, part.n, part.o, content,
                                omp_get_initial_device (), device));
  memcpy (s->shadow + part.o, table + content, part.n);
  same (w, s->p + part.o, s->shadow + part.o, part.n, "the device wrote");
}

/* After a change: is it the same memory for host and device?  */
void
touch (struct worker *w, struct slot *s)
{
  struct part part = any_part (w, s->n);
  fill (w, s, part);
  if (one_in (w, 6))
    pull (w, s, any_part (w, s->n));
  push (w, s, one_in (w, 16) ? large_part (w, s->n) : part);
  part = any_part (w, s->n);
  same (w, s->p + part.o, s->shadow + part.o, part.n, "the host has");
}
