/* mmap and its kin.  */

#define _GNU_SOURCE
#include "churn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ACCESS = PROT_READ | PROT_WRITE, FRESH = MAP_PRIVATE | MAP_ANONYMOUS };

static size_t
whole (size_t n)
{
  return (n + PAGE - 1) & -PAGE;
}

static void
take (struct worker *w, struct slot *s, void *p)
{
  if (p == MAP_FAILED)
    fail (w, "no pages");
  s->p = p;
}

/* Where the pages are now.  The kernel moves one mapping at a time, and what
   MAP_FIXED put among them is another.  */
static int
moved (struct worker *w, struct slot *s, void *p)
{
  if (p == MAP_FAILED && errno == EFAULT)
    return 0;
  take (w, s, p);
  return 1;
}

/* New pages show zeros.  */
static void
fresh (struct worker *w, struct slot *s, size_t o, size_t n)
{
  memset (s->shadow + o, 0, n);
  same (w, s->p + o, s->shadow + o, n < PAGE ? n : PAGE, "new pages have");
}

void
make_pages (struct worker *w, struct slot *s)
{
  size_t n = whole (any_size (w));
  w->doing = "mmap";
  s->kind = PAGES;
  take (w, s, mmap (NULL, n, ACCESS, FRESH, -1, 0));
  s->n = n;
  if (one_in (w, 2))
    fresh (w, s, 0, n);
  else
    fill (w, s, (struct part) { 0, n });
}

static void
unmap_pages (struct worker *w, void *p, size_t n)
{
  if (munmap (p, n) != 0)
    fail (w, "munmap failed");
}

static void
cut (struct worker *w, struct slot *s)
{
  size_t pages = s->n / PAGE, keep = 1 + below (w, pages - 1);
  w->doing = "munmap of a part";
  switch (below (w, 3))
    {
    case 0:
      unmap_pages (w, s->p + keep * PAGE, (pages - keep) * PAGE);
      break;
    case 1:
      unmap_pages (w, s->p, (pages - keep) * PAGE);
      s->p += (pages - keep) * PAGE;
      memmove (s->shadow, s->shadow + (pages - keep) * PAGE, keep * PAGE);
      break;
    default:
      {
        /* Out of the middle.  */
        size_t gone = 1 + below (w, pages - keep);
        unmap_pages (w, s->p + keep * PAGE, gone * PAGE);
        size_t rest = pages - keep - gone;
        if (rest)
          {
            same (w, s->p + (keep + gone) * PAGE, s->shadow + (keep + gone) * PAGE, PAGE,
                  "behind the gap is");
            unmap_pages (w, s->p + (keep + gone) * PAGE, rest * PAGE);
          }
      }
    }
  s->n = keep * PAGE;
}

static void
resize (struct worker *w, struct slot *s)
{
  size_t old = s->n, n = whole (one_in (w, 3) ? 1 + below (w, old) : any_size (w));
  w->doing = n < old ? "mremap to less" : "mremap to more";
  if (!moved (w, s, mremap (s->p, old, n, MREMAP_MAYMOVE)))
    return;
  s->n = n;
  if (n > old)
    fresh (w, s, old, n - old);
}

static void
move (struct worker *w, struct slot *s)
{
  w->doing = "mremap to a place";
  void *place = mmap (NULL, s->n, PROT_NONE, FRESH, -1, 0);
  unsigned char *old = s->p;
  if (!moved (w, s, mremap (s->p, s->n, s->n, MREMAP_MAYMOVE | MREMAP_FIXED, place)))
    unmap_pages (w, place, s->n);
  else if (one_in (w, 2))
    {
      /* Something else in the old place, which the next one may get.  */
      void *other = mmap (old, s->n, ACCESS, FRESH, -1, 0);
      if (other != MAP_FAILED)
        {
          memset (other, 0x55, PAGE);
          unmap_pages (w, other, s->n);
        }
    }
}

static void
again (struct worker *w, struct slot *s)
{
  w->doing = "mmap at the same address again";
  unmap_pages (w, s->p, s->n);
  take (w, s, mmap (s->p, s->n, ACCESS, FRESH, -1, 0));
  fresh (w, s, 0, s->n);
}

static struct part
some_pages (struct worker *w, struct slot *s)
{
  size_t pages = s->n / PAGE, first = below (w, pages);
  if (one_in (w, 3))
    return (struct part) { 0, s->n };
  return (struct part) { first * PAGE, (1 + below (w, pages - first)) * PAGE };
}

static void
advise (struct worker *w, struct slot *s)
{
  struct part part = some_pages (w, s);
  if (one_in (w, 4))
    {
      w->doing = "MADV_FREE";
      if (madvise (s->p + part.o, part.n, MADV_FREE) != 0)
        fail (w, "madvise failed");
      fill (w, s, part);
      return;
    }
  w->doing = "MADV_DONTNEED";
  if (madvise (s->p + part.o, part.n, MADV_DONTNEED) != 0)
    fail (w, "madvise failed");
  fresh (w, s, part.o, part.n);
}

static void
over (struct worker *w, struct slot *s)
{
  struct part part = some_pages (w, s);
  w->doing = "MAP_FIXED";
  if (mmap (s->p + part.o, part.n, ACCESS, FRESH | MAP_FIXED, -1, 0) == MAP_FAILED)
    fail (w, "no pages");
  fresh (w, s, part.o, part.n);
}

static void
protect (struct worker *w, struct slot *s)
{
  struct part part = some_pages (w, s);
  w->doing = "mprotect";
  if (mprotect (s->p + part.o, part.n, PROT_READ) != 0)
    fail (w, "mprotect failed");
  push (w, s, part);
  if (mprotect (s->p + part.o, part.n, ACCESS) != 0)
    fail (w, "mprotect failed");
}

void
change_pages (struct worker *w, struct slot *s)
{
  /* Few pages grow.  */
  switch (s->n < 8 * PAGE ? 1 : below (w, 8))
    {
    case 0:
      cut (w, s);
      break;
    case 1:
    case 2:
      resize (w, s);
      break;
    case 3:
      move (w, s);
      break;
    case 4:
      again (w, s);
      break;
    case 5:
      advise (w, s);
      break;
    case 6:
      over (w, s);
      break;
    default:
      protect (w, s);
    }
}

void
end_pages (struct worker *w, struct slot *s)
{
  w->doing = "munmap";
  unmap_pages (w, s->p, s->n);
}
