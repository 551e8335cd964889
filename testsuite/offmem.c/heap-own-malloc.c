/* A program with a malloc of its own keeps it: what malloc returns is from there, and what
   other functions return can be freed.  */
/* { dg-do run } */
/* { dg-additional-options "-fno-builtin -Wno-free-nonheap-object" } */

#include <stdio.h>
#include <string.h>
#include "heap.h"

static char pool[64 << 20] __attribute__ ((aligned (4096)));
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

int
main (void)
{
  for (size_t size = 1000; size < 4 << 20; size *= 4)
    {
      char *block = malloc (size);
      if (block < pool || block >= pool + sizeof pool)
        abort ();
      block[size - 1] = 1;
      char *copy = strdup ("a string that libc allocates");
      free (copy);
      block = reallocarray (block, 2, size);
      if (block < pool || block >= pool + sizeof pool || block[size - 1] != 1)
        abort ();
      free (block);
    }
  offload ();
  return 0;
}
