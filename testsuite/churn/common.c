/* Memory whose parts belong to different threads, and whose copies overlap:
   between two threads' parts is one that nobody writes and everybody copies.  */

#include "churn.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { OWN = 70001, BETWEEN = 30011, WORKERS_MAX = 8, SIZE = WORKERS_MAX * (OWN + BETWEEN) };

static unsigned char *memory, *shadow;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void
renew (const unsigned char *content)
{
  if (memory)
    munmap (memory, SIZE);
  memory = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy (memory, content, SIZE);
  memcpy (shadow, content, SIZE);
}

void
begin_common (void)
{
  shadow = plain_memory (SIZE);
  renew (table);
}

void
common (struct worker *w)
{
  if (one_in (w, 20))
    {
      const unsigned char *content = table + below (w, TABLE - SIZE);
      pthread_rwlock_wrlock (&lock);
      renew (content);
      pthread_rwlock_unlock (&lock);
    }
  pthread_rwlock_rdlock (&lock);
  size_t own = (size_t) (w->number % WORKERS_MAX) * (OWN + BETWEEN);
  struct slot s = { .kind = NONE, .p = memory + own, .n = OWN, .shadow = shadow + own };
  w->doing = "memory of several threads";
  touch (w, &s);
  /* Some of what lies before and behind, too.  */
  size_t start = own - (own ? below (w, BETWEEN) : 0), end = own + OWN + 1 + below (w, BETWEEN);
  struct slot wide = { .kind = NONE, .p = memory + start, .n = end - start, .shadow = shadow + start };
  push (w, &wide, one_in (w, 4) ? (struct part) { 0, wide.n } : any_part (w, wide.n));
  pthread_rwlock_unlock (&lock);
}
