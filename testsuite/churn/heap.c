/* malloc and its family.  */

#define _GNU_SOURCE
#include "churn.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

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
  void *p = realloc (s->p, n);
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
  free (s->p);
}
