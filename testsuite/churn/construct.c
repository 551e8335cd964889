/* Constructs and routines that map and copy.  */

#include "churn.h"
#include <errno.h>
#include <offmem.h>
#include <omp.h>
#include <string.h>

/* Stock GCC compiles this, too.  */
#pragma weak offmem_pin
#pragma weak offmem_unpin
#pragma weak offmem_is_pinned

enum { PROBES = 8 };

/* Which bytes of N a kernel looks at.  */
static size_t
probe (size_t n, int i)
{
  return n < PROBES ? i % n : i * ((n - 1) / (PROBES - 1));
}

/* What a kernel does to P[O:N], here.  */
static unsigned
compute (unsigned char *p, size_t o, size_t n, unsigned k)
{
  unsigned sum = 0;
  for (int i = 0; i < PROBES; i++)
    {
      sum = sum * 31 + p[o + probe (n, i)];
      p[o + probe (n, i)] ^= k + i;
    }
  return sum;
}

#pragma omp declare target (probe, compute)

/* Begins a mapping that stays.  */
void
map (struct worker *w, struct slot *s)
{
  struct part part = one_in (w, 4) ? any_part (w, s->n) : large_part (w, s->n);
  unsigned char *const p = s->p;
  size_t o = part.o, n = part.n;
  if (one_in (w, 4))
    {
      w->doing = "enter data map(alloc)";
      #pragma omp target enter data map(alloc: p[o:n])
      #pragma omp target update to(p[o:n])
    }
  else
    {
      w->doing = "enter data map(to)";
      #pragma omp target enter data map(to: p[o:n])
    }
  arrive (s, (struct part) { o, n });
  s->mapped = o;
  s->mapped_n = n;
}

/* Ends it.  */
void
unmap (struct worker *w, struct slot *s)
{
  unsigned char *p = s->p;
  size_t o = s->mapped, n = s->mapped_n;
  if (n == 0)
    return;
  s->mapped_n = 0;
  switch (below (w, 4))
    {
    case 0:
      w->doing = "exit data map(release)";
      #pragma omp target exit data map(release: p[o:n])
      return;
    case 1:
      w->doing = "exit data map(delete)";
      #pragma omp target exit data map(delete: p[o:n])
      return;
    default:
      w->doing = "exit data map(from)";
      #pragma omp target exit data map(from: p[o:n])
      leave (s, (struct part) { o, n });
      same (w, p + o, s->shadow + o, n, "the device gave back");
    }
}

/* Copies a part of what is mapped, both ways.  */
void
update (struct worker *w, struct slot *s)
{
  struct part part = one_in (w, 8) ? (struct part) { 0, s->mapped_n } : any_part (w, s->mapped_n);
  unsigned char *p = s->p;
  size_t o = s->mapped + part.o, n = part.n;
  fill (w, s, (struct part) { o, n });
  switch (below (w, 5))
    {
    case 0:
      w->doing = "enter data map(always, to)";
      #pragma omp target enter data map(always, to: p[o:n])
      #pragma omp target exit data map(release: p[o:n])
      break;
    case 1:
      w->doing = "target update nowait";
      #pragma omp target update to(p[o:n]) nowait
      #pragma omp taskwait
      break;
    case 2:
      w->doing = "target update depend";
      #pragma omp target update to(p[o:n]) depend(out: p[o:n]) nowait
      #pragma omp target update from(p[o:n]) depend(inout: p[o:n]) nowait
      #pragma omp taskwait
      break;
    default:
      w->doing = "target update to";
      #pragma omp target update to(p[o:n])
    }
  arrive (s, (struct part) { o, n });

  part = any_part (w, s->mapped_n);
  o = s->mapped + part.o;
  n = part.n;
  w->doing = "target update from";
  #pragma omp target update from(p[o:n])
  leave (s, (struct part) { o, n });
  same (w, p + o, s->shadow + o, n, "the device had");
}

/* A kernel, on what is mapped or on what is mapped for it.  */
void
region (struct worker *w, struct slot *s)
{
  unsigned char *p = s->p;
  int present = s->mapped_n != 0;
  struct part part = present ? any_part (w, s->mapped_n) : large_part (w, s->n);
  size_t o = part.o + (present ? s->mapped : 0), n = part.n;
  unsigned sum = 0, k = draw (w) & 0xff;
  unsigned expected = compute (present ? s->there : s->shadow, o, n, k);
  if (is_shared (s) && one_in (w, 3))
    {
      w->doing = "target without a map";
      #pragma omp target map(from: sum)
      sum = compute (p, o, n, k);
    }
  else if (one_in (w, 4))
    {
      w->doing = "target nowait";
      #pragma omp target map(tofrom: p[o:n]) map(from: sum) nowait depend(inout: p[o:n])
      sum = compute (p, o, n, k);
      #pragma omp taskwait
    }
  else if (present && one_in (w, 2))
    {
      w->doing = "target map(always, from)";
      #pragma omp target map(always, from: p[o:n]) map(from: sum)
      sum = compute (p, o, n, k);
      leave (s, (struct part) { o, n });
    }
  else
    {
      w->doing = "target";
      #pragma omp target map(tofrom: p[o:n]) map(from: sum)
      sum = compute (p, o, n, k);
    }
  if (sum != expected)
    fail (w, "a kernel read other bytes of %zu at %zu: %#x for %#x", n, o, sum, expected);
  same (w, p + o, s->shadow + o, n, "a kernel left");
}

/* A kernel on shared memory that is not mapped, or on a part that is for it alone.  */
void
visit (struct worker *w, struct slot *s)
{
  unsigned char *p = s->p;
  size_t n = s->n;
  unsigned sum, k = draw (w) & 0xff, expected = compute (s->shadow, 0, n, k);
  if (is_shared (s))
    {
      #pragma omp target map(from: sum)
      sum = compute (p, 0, n, k);
    }
  else
    {
      #pragma omp target map(from: sum) map(tofrom: p[0:n])
      sum = compute (p, 0, n, k);
    }
  if (sum != expected)
    fail (w, "a kernel read other bytes: %#x for %#x", sum, expected);
  same (w, p, s->shadow, n, "a kernel left");
}

/* Structured.  */
void
data (struct worker *w, struct slot *s)
{
  struct part part = large_part (w, s->n);
  unsigned char *p = s->p;
  size_t o = part.o, n = part.n;
  w->doing = "target data";
  #pragma omp target data map(tofrom: p[o:n])
  {
    struct part inside = any_part (w, n);
    size_t a = o + inside.o, b = inside.n;
    /* The host's own writes are lost at the end.  */
    memcpy (w->bounce, s->shadow + o, n);
    fill (w, s, (struct part) { a, b });
    #pragma omp target update to(p[a:b])
    fill (w, s, any_part (w, s->n));
    memcpy (w->bounce + inside.o, table, b);
    memcpy (p + a, table, b);
    #pragma omp target update to(p[a:b])
    /* Outside of the section they stay, and where there is one memory.  */
    if (is_shared (s))
      memcpy (s->shadow + a, table, b);
    else
      memcpy (s->shadow + o, w->bounce, n);
  }
  same (w, p + o, s->shadow + o, n, "target data left");
}

/* Sections that overlap, one after the other.  */
void
straddle (struct worker *w, struct slot *s)
{
  struct part parts[] = {
    { 0, s->n / 2 + 1 },
    { s->n / 4, s->n / 2 + 1 },
    { s->n / 2, s->n - s->n / 2 },
    { 0, s->n }
  };
  unsigned char *p = s->p;
  w->doing = "sections that overlap";
  for (int i = 0; i < 4; i++)
    {
      struct part part = parts[i];
      /* Some bytes more or less.  */
      size_t less = below (w, 8);
      if (part.n > 2 * less)
        part = (struct part) { part.o + less, part.n - 2 * less };
      if (part.o + part.n > s->n)
        part.n = s->n - part.o;
      if (one_in (w, 2))
        push (w, s, part);
      else
        {
          size_t o = part.o, n = part.n;
          #pragma omp target enter data map(to: p[o:n])
          fill (w, s, any_part (w, s->n));
          #pragma omp target update to(p[o:n])
          #pragma omp target exit data map(from: p[o:n])
          same (w, p + o, s->shadow + o, n, "a section came back");
        }
    }
}

void
rectangle (struct worker *w, struct slot *s)
{
  size_t row = 64 + below (w, 960), rows = s->n / row;
  int host = omp_get_initial_device ();
  w->doing = "omp_target_memcpy_rect";
  if (rows == 0)
    return;
  size_t volume[2] = { 1 + below (w, rows < 64 ? rows : 64), 1 + below (w, row) };
  size_t from[2] = { below (w, rows - volume[0] + 1), below (w, row - volume[1] + 1) };
  size_t dimensions[2] = { rows, row }, to[2] = { 0, 0 };
  copied (w, omp_target_memcpy_rect (w->scratch, s->p, 1, 2, volume, to, from, volume, dimensions,
                                     device, host));
  copied (w, omp_target_memcpy (w->bounce, w->scratch, volume[0] * volume[1], 0, 0, host, device));
  for (size_t i = 0; i < volume[0]; i++)
    same (w, w->bounce + i * volume[1], s->shadow + (from[0] + i) * row + from[1], volume[1],
          "a rectangle has");
  /* And back to another place.  */
  from[0] = below (w, rows - volume[0] + 1);
  copied (w, omp_target_memcpy_rect (s->p, w->scratch, 1, 2, volume, from, to, dimensions, volume,
                                     host, device));
  for (size_t i = 0; i < volume[0]; i++)
    {
      size_t o = (from[0] + i) * row + from[1];
      memcpy (s->shadow + o, w->bounce + i * volume[1], volume[1]);
      same (w, s->p + o, s->shadow + o, volume[1], "a rectangle came back as");
    }
}

/* Memory that is never registered.  */
void
stack (struct worker *w)
{
  unsigned char array[96 << 10], shadow[sizeof array];
  struct slot s = { .kind = NONE, .p = array, .n = sizeof array, .shadow = shadow };
  w->doing = "an array on the stack";
  fill (w, &s, (struct part) { 0, sizeof array });
  push (w, &s, (struct part) { 0, sizeof array });
  pull (w, &s, large_part (w, sizeof array));
}

void
pin (struct worker *w, struct slot *s)
{
  struct part part = large_part (w, s->n);
  w->doing = "offmem_pin";
  if (!offmem_pin)
    return;
  if (s->pinned_n)
    {
      w->doing = "offmem_unpin";
      int error = offmem_unpin (s->p + s->pinned, s->pinned_n);
      if (error != 0 && error != EINVAL && error != EBUSY)
        fail (w, "offmem_unpin: %d", error);
      s->pinned_n = 0;
    }
  else
    {
      int error = offmem_pin (s->p + part.o, part.n);
      if (error == 0 && !offmem_is_pinned (s->p + part.o, part.n))
        fail (w, "it is not pinned");
      /* No driver, too small, no room.  */
      if (error != 0 && error != ENOTSUP && error != EINVAL && error != ENOMEM && error != EBUSY)
        fail (w, "offmem_pin: %d", error);
      s->pinned = part.o;
      s->pinned_n = error == 0 ? part.n : 0;
    }
  touch (w, s);
}
