/* A program with a malloc of its own keeps it: what malloc returns is from there, and what
   other functions return can be freed.  */
/* { dg-do run } */
/* { dg-additional-options "-fno-builtin -Wno-free-nonheap-object" } */

#include <stdio.h>
#include "heap.h"
#include "own-malloc.h"

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
