/* Memory of every kind, on a device that reads it as it is.  */

#include <sys/mman.h>
#include "../offmem.c-c++-common/unified.h"

enum { N = 5000 };

static int data[N], table[4];
#pragma omp declare target (table)

int
main (void)
{
  int stack[N] = { 1 }, *heap = malloc (N * sizeof *heap);
  int *pages = mmap (NULL, N * sizeof *pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0);
  uintptr_t there[3] = { 0 };

  if (pages == MAP_FAILED)
    abort ();
  expect_shared (heap, N * sizeof *heap);
  expect_shared (pages, N * sizeof *pages);
  data[N - 1] = 2;
  pages[N - 1] = 3;
  table[1] = 4;
  #pragma omp target update to(table)
  #pragma omp target map(tofrom: stack, data, pages[0:N]) map(from: there)
  {
    there[0] = (uintptr_t) stack;
    there[1] = (uintptr_t) data;
    there[2] = (uintptr_t) pages;
    stack[0] += data[N - 1] + pages[N - 1] + table[1];
    data[0] = 5;
    pages[0] = 6;
    table[2] = 7;
  }
  if (there[0] != (uintptr_t) stack || there[1] != (uintptr_t) data || there[2] != (uintptr_t) pages)
    abort ();
  #pragma omp target update from(table)
  if (stack[0] != 10 || data[0] != 5 || pages[0] != 6 || table[2] != 7)
    abort ();
  #pragma omp target data map(to: stack)
  {
    stack[7] = 70;
    #pragma omp target
    stack[8] = stack[7] + 1;
    if (stack[8] != 71)
      abort ();
  }
  munmap (pages, N * sizeof *pages);
  free (heap);
  return 0;
}
