/* Static data, the stack and pages of mmap are mapped as ever, beside shared memory in the
   same regions: 16 KB of each.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 262144 } */

#include <sys/mman.h>
#include "unified.h"

enum { N = 4096 };

static int data[N], table[N];
#pragma omp declare target (table)

int
main (void)
{
  int stack[N], *heap = (int *) malloc (N * sizeof *heap);
  int *pages = (int *) mmap (NULL, N * sizeof *pages, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int **pointers = (int **) malloc (2 * sizeof *pointers);

  if (pages == MAP_FAILED)
    abort ();
  for (int i = 0; i < N; i++)
    {
      stack[i] = i;
      data[i] = 2 * i;
      heap[i] = 3 * i;
      pages[i] = 4 * i;
      table[i] = 5 * i;
    }
  pointers[0] = heap;
  pointers[1] = heap + N / 2;
  #pragma omp target update to(table)
  #pragma omp target data map(tofrom: stack, data, pages[0:N]) map(to: heap[0:N])
  for (int round = 0; round < 2; round++)
    {
      #pragma omp target
      for (int i = 0; i < N / 2; i++)
        {
          stack[i] += pointers[0][i];
          data[i] += pages[i] + table[i];
          pages[i] = pointers[1][i];
          heap[i]++;
        }
    }
  for (int i = 0; i < N; i++)
    {
      int first = i < N / 2;
      if (stack[i] != (first ? i + 3 * i + 3 * i + 1 : i)
          || heap[i] != 3 * i + 2 * first
          || pages[i] != (first ? 3 * (i + N / 2) : 4 * i)
          || data[i] != (first ? 2 * i + 4 * i + 5 * i + 3 * (i + N / 2) + 5 * i : 2 * i))
        abort ();
    }
  free (heap);
  free (pointers);
  munmap (pages, N * sizeof *pages);
  return 0;
}
