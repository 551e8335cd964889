// A class's own operators and placement new are the program's: its memory stays where they put
// it.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 2048 }

#include <new>
#include "../offmem.c-c++-common/unified.h"

static char arena[4096];
static std::size_t used;
static int freed;

struct Counted
{
  int value;
  static void *operator new (std::size_t n)
  {
    used += 64;
    return n <= 64 ? arena + used - 64 : nullptr;
  }
  static void operator delete (void *p) { freed += p >= arena && p < arena + sizeof arena; }
};

struct Plain
{
  int value = 3;
};

static bool
inside (const void *p)
{
  return p >= arena && p < arena + sizeof arena;
}

int
main ()
{
  Counted *counted = new Counted;
  counted->value = 1;
  Plain *placed = new (arena + 1024) Plain;
  void *memory = ::operator new (100 * sizeof (Plain));
  Plain *there = new (memory) Plain[100];
  Plain *shared = new Plain;

  if (!inside (counted) || !inside (placed) || inside (shared) || there != memory)
    abort ();
  // What is in static memory is mapped.
  #pragma omp target map(tofrom: counted[0:1], placed[0:1])
  {
    counted->value += 10;
    placed->value += shared->value + there[99].value;
    shared->value = 20;
  }
  if (counted->value != 11 || placed->value != 9 || shared->value != 20)
    abort ();
  expect_shared (there, 100 * sizeof (Plain));
  delete counted;
  delete shared;
  ::operator delete (memory);
  if (freed != 1)
    abort ();
}
