/* A child of fork has its own copy of unified memory, as of all memory: what it writes stays with
   it, what the parent and its device write meanwhile is not seen there; it allocates and frees.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../offmem.c-c++-common/unified.h"

/* More than the first slab, which is ordinary memory.  */
enum { N = 3000000 };

static void
be_child (unsigned char *p, int *go)
{
  char c;
  if (read (go[0], &c, 1) != 1)
    _exit (1);
  for (int i = 0; i < N; i++)
    if (p[i] != 11)
      _exit (2);
  memset (p, 22, N);
  for (int i = 1; i < 200; i++)
    {
      char *q = malloc (997 * i);
      memset (q, i, 997 * i);
      q = realloc (q, 2000 * i);
      if (q[0] != (char) i || q[997 * i - 1] != (char) i)
        _exit (3);
      free (q);
    }
  p = realloc (p, 2 * N);
  if (p[N - 1] != 22)
    _exit (4);
  free (p);
  /* libgomp, ending the device, would fail in a child.  */
  _exit (0);
}

int
main (void)
{
  unsigned char *p = malloc (N), *before = malloc (100);

  memset (p, 11, N);
  memset (before, 9, 100);
  expect_shared (p, N);
  for (int round = 0; round < 3; round++)
    {
      int go[2], status;
      memset (p, 11, N);
      if (pipe (go) != 0)
        abort ();
      pid_t child = fork ();
      if (child == 0)
        {
          alarm (20);
          be_child (p, go);
        }
      /* The parent goes on, before the child has looked.  */
      #pragma omp target
      for (int i = 0; i < N; i += 4096)
        p[i] = 33;
      p[1] = 44;
      unsigned char *more = malloc (N);
      memset (more, 55, N);
      if (write (go[1], "", 1) != 1 || waitpid (child, &status, 0) != child || status != 0)
        abort ();
      for (int i = 0; i < N; i++)
        if (p[i] != (i % 4096 == 0 ? 33 : i == 1 ? 44 : 11) || more[i] != 55)
          abort ();
      expect_shared (p, N);
      free (more);
      close (go[0]);
      close (go[1]);
    }
  if (before[99] != 9)
    abort ();
  free (before);
  free (p);
  return 0;
}
