/* System V segments, libraries, static data, children.  */

#define _GNU_SOURCE
#include "churn.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static void
attach (struct worker *w, struct slot *s, size_t n)
{
  int id = shmget (IPC_PRIVATE, n, IPC_CREAT | 0600);
  if (id == -1)
    fail (w, "shmget failed");
  s->p = shmat (id, NULL, 0);
  shmctl (id, IPC_RMID, NULL);
  if (s->p == (void *) -1)
    fail (w, "shmat failed");
  s->n = n;
  memset (s->shadow, 0, n);
  fill (w, s, (struct part) { 0, n / 2 });
}

void
make_segment (struct worker *w, struct slot *s)
{
  w->doing = "shmat";
  s->kind = SEGMENT;
  attach (w, s, (any_size (w) + PAGE - 1) & -PAGE);
}

void
end_segment (struct worker *w, struct slot *s)
{
  w->doing = "shmdt";
  if (shmdt (s->p) != 0)
    fail (w, "shmdt failed");
}

/* Another one, which gets the same place as a rule.  */
void
change_segment (struct worker *w, struct slot *s)
{
  end_segment (w, s);
  attach (w, s, s->n);
}

/* library0.so and so on stand beside the program.  */
static int folder_length;
static const char *folder;

void
begin_libraries (const char *program)
{
  const char *end = strrchr (program, '/');
  folder = end ? program : "./";
  folder_length = end ? end + 1 - program : 2;
}

void
make_library (struct worker *w, struct slot *s)
{
  char name[4096];
  w->doing = "dlopen";
  snprintf (name, sizeof name, "%.*slibrary%d.so", folder_length, folder, w->number);
  s->library = dlopen (name, RTLD_NOW);
  if (!s->library)
    fail (w, "%s", dlerror ());
  s->p = dlsym (s->library, "library_data");
  if (!s->p)
    fail (w, "%s", dlerror ());
  s->kind = LIBRARY;
  s->n = STATIC;
  memset (s->shadow, 0, s->n);
  same (w, s->p, s->shadow, s->n, "a library's data is");
  fill (w, s, (struct part) { 0, s->n / 2 });
}

void
end_library (struct worker *w, struct slot *s)
{
  w->doing = "dlclose";
  if (dlclose (s->library) != 0)
    fail (w, "%s", dlerror ());
}

void
change_library (struct worker *w, struct slot *s)
{
  end_library (w, s);
  make_library (w, s);
}

void
make_static (struct worker *w, struct slot *s)
{
  enum { WORKERS_MAX = 8 };
  static unsigned char data[WORKERS_MAX][STATIC];
  s->kind = STATIC_DATA;
  s->p = data[w->number % WORKERS_MAX];
  s->n = STATIC;
  memset (s->shadow, 0, s->n);
}

/* What a child does: has it the parent's memory, and can it allocate?  */
static void
be_child (struct worker *w)
{
  for (int i = 0; i < SLOTS; i++)
    {
      struct slot *s = &w->slots[i];
      struct part part = any_part (w, s->n);
      /* Which both share.  */
      if (s->kind == SEGMENT)
        continue;
      same (w, s->p + part.o, s->shadow + part.o, part.n, "a child has");
      memset (s->p + part.o, 0xcc, part.n);
    }
  for (int i = 0; i < 20; i++)
    {
      size_t n = any_size (w);
      unsigned char *block = malloc (n);
      if (!block)
        fail (w, "no memory in the child");
      memset (block, i, n);
      if (block[n / 2] != i)
        fail (w, "the child's memory is another one's");
      free (block);
    }
  struct slot *s = &w->slots[below (w, SLOTS)];
  if (s->kind == HEAP)
    free (s->p);
}

void
child (struct worker *w)
{
  w->doing = "fork";
  pid_t pid = fork ();
  if (pid == -1)
    fail (w, "fork failed");
  if (pid == 0)
    {
      be_child (w);
      _exit (0);
    }
  /* The parent goes on beside it: the pages that it writes become its own.  */
  for (int i = 0; i < 4; i++)
    {
      struct slot *s = &w->slots[below (w, SLOTS)];
      fill (w, s, (struct part) { 0, s->n });
      push (w, s, (struct part) { 0, s->n });
      touch (w, s);
    }
  int status;
  if (waitpid (pid, &status, 0) != pid || status != 0)
    fail (w, "the child ended with status %#x", status);
  for (int i = 0; i < SLOTS; i++)
    touch (w, &w->slots[i]);
}
