/* malloc and its family.  */

#define _GNU_SOURCE
#include "churn.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* As code does that was not compiled with the option.  */
static void (*volatile plain_free) (void *) = free;
static void *(*volatile plain_realloc) (void *, size_t) = realloc;

void
make_heap (struct worker *w, struct slot *s)
{
  size_t n = any_size (w), align = (size_t) 16 << below (w, 12);
  void *p = NULL;
  int zeros = 0;
  switch (below (w, 7))
    {
    case 0:
      w->doing = "calloc";
      p = calloc (1, n);
      zeros = 1;
      break;
    case 1:
      w->doing = "posix_memalign";
      if (posix_memalign (&p, align, n) != 0)
        p = NULL;
      break;
    case 2:
      w->doing = "aligned_alloc";
      p = aligned_alloc (align, n);
      break;
    case 3:
      w->doing = "memalign";
      p = memalign (align, n);
      break;
    case 4:
      w->doing = "realloc of nothing";
      p = realloc (NULL, n);
      break;
    case 5:
      w->doing = "valloc";
      p = valloc (n);
      break;
    default:
      w->doing = "malloc";
      p = malloc (n);
    }
  if (!p)
    fail (w, "no memory");
  s->kind = HEAP;
  s->p = p;
  s->n = n;
  settle (w, s);
  if (zeros)
    {
      memset (s->shadow, 0, n);
      same (w, s->p, s->shadow, n, "calloc gave");
    }
  else
    fill (w, s, (struct part) { 0, n });
}

void
change_heap (struct worker *w, struct slot *s)
{
  size_t n = any_size (w);
  w->doing = "realloc";
  if (one_in (w, 3))
    n = s->n + 1 + below (w, 1 << 17);
  else if (one_in (w, 3))
    n = s->n - below (w, s->n);
  if (n > SLOT_MAX)
    n = SLOT_MAX;
  void *p;
  if (UNIFIED && one_in (w, 4))
    {
      w->doing = "another one's realloc";
      p = plain_realloc (s->p, n);
    }
  else
    p = realloc (s->p, n);
  if (!p)
    fail (w, "no memory");
  size_t old = s->n;
  s->p = p;
  s->n = n;
  settle (w, s);
  same (w, s->p, s->shadow, n < old ? n : old, "realloc kept");
  if (old < n)
    fill (w, s, (struct part) { old, n - old });
}

void
end_heap (struct worker *w, struct slot *s)
{
  w->doing = "free";
  if (UNIFIED && one_in (w, 4))
    {
      w->doing = "another one's free";
      plain_free (s->p);
    }
  else
    free (s->p);
}

/* A block so big that it has a slab to itself, which goes with it sooner or later.  */
void
passing (struct worker *w)
{
  enum { MIB = 1 << 20 };
  size_t n = 4 * MIB + below (w, 8 * MIB);
  struct slot s = { .kind = HEAP, .shadow = w->bounce };
  w->doing = "a passing block";
  s.p = malloc (n);
  for (int i = 0; s.p && i < 2; i++)
    {
      /* Its end is looked at.  */
      s.n = SLOT_MAX / 4;
      s.p += n - s.n;
      settle (w, &s);
      fill (w, &s, (struct part) { 0, s.n });
      visit (w, &s);
      s.p -= n - s.n;
      if (one_in (w, 2))
        break;
      n += n / 4;
      w->doing = "a passing block's realloc";
      unsigned char *p = realloc (s.p, n);
      if (!p)
        break;
      s.p = p;
    }
  (one_in (w, 4) ? plain_free : free) (s.p);
}
