// A program with operators of its own keeps them, whatever they take their memory from.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 8192 }

#include <new>
#include <vector>
#include "../offmem.c-c++-common/unified.h"

// GCC 15 and later assume that operators new and delete change no variables.
static volatile int news, deletes;

void *
operator new (std::size_t n)
{
  news = news + 1;
  void *p = malloc (n);
  if (p == nullptr)
    throw std::bad_alloc ();
  return p;
}

void
operator delete (void *p) noexcept
{
  deletes = deletes + (p != nullptr);
  free (p);
}

void
operator delete (void *p, std::size_t) noexcept
{
  deletes = deletes + (p != nullptr);
  free (p);
}

int
main ()
{
  int before = news;
  int *one = new int (4);
  // By way of the replaced one.
  int *several = new int[50] ();
  {
    std::vector<int> v (1000, 1);
    int *data = v.data ();
    #pragma omp target
    data[999] = *one + several[49];
    if (v[999] != 4)
      abort ();
  }
  expect_shared (several, 50 * sizeof (int));
  delete one;
  delete[] several;
  if (news - before != 3 || deletes < 3)
    abort ();
}
