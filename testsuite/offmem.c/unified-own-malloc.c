/* A program with a malloc of its own keeps it: one line, and memory that is mapped.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-additional-options "-fno-builtin -Wno-free-nonheap-object" } */
/* { dg-output {^libgomp-offmem: [^\n]*unified[^\n]*\nok\n$} { target offload_device } } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char pool[128 << 20] __attribute__ ((aligned (4096)));
static size_t used;

void *
malloc (size_t size)
{
  size = (size + 47) & -16;
  size_t start = __atomic_fetch_add (&used, size, __ATOMIC_RELAXED);
  if (start + size > sizeof pool)
    return NULL;
  *(size_t *) (pool + start) = size - 16;
  return pool + start + 16;
}

void
free (void *block)
{
  if (block != NULL && ((char *) block < pool || (char *) block >= pool + sizeof pool))
    __builtin_trap ();
}

void *
calloc (size_t count, size_t size)
{
  return malloc (count * size);
}

void *
realloc (void *block, size_t size)
{
  void *new = malloc (size);
  if (block != NULL && new != NULL)
    {
      size_t old = ((size_t *) block)[-2];
      memcpy (new, block, old < size ? old : size);
    }
  return new;
}

enum { N = 100000 };

int
main (void)
{
  int *p = malloc (N * sizeof *p), *q = calloc (N, sizeof *q);
  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < N; i++)
        p[i] = i + round;
      #pragma omp target map(to: p[0:N]) map(tofrom: q[0:N])
      for (int i = 0; i < N; i += 7)
        q[i] += p[i];
      #pragma omp target enter data map(to: p[0:N])
      #pragma omp target
      p[round] = 1000;
      #pragma omp target update from(p[0:3])
      #pragma omp target exit data map(delete: p[0:N])
      if (p[round] != 1000)
        abort ();
      p = realloc (p, (N + 5000 * round) * sizeof *p);
      char *text = strdup ("plain");
      free (text);
    }
  for (int i = 0; i < N; i++)
    if (q[i] != (i % 7 ? 0 : 3 * i + 3))
      abort ();
  free (p);
  free (q);
  puts ("ok");
  return 0;
}
