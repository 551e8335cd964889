// new that finds no memory calls the handler, as often as there is one, and throws; the
// nothrow forms return null.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 1024 }
// { dg-additional-options "-std=c++17" }

#include <new>
#include "../offmem.c-c++-common/unified.h"

static int calls;

static void
handler ()
{
  if (++calls % 3 == 0)
    std::set_new_handler (nullptr);
}

template<typename Allocate>
static void
expect_throw (Allocate allocate)
{
  int before = calls;
  std::set_new_handler (handler);
  try
    {
      void *volatile p = allocate ();
      (void) p;
      abort ();
    }
  catch (const std::bad_alloc &)
    {
    }
  if (calls != before + 3)
    abort ();
}

int
main ()
{
  volatile std::size_t too_much = PTRDIFF_MAX - 5000;
  auto align = std::align_val_t (4096);
  char *kept = new char[100] ();

  expect_shared (kept, 100);
  expect_throw ([&] { return operator new (too_much); });
  expect_throw ([&] { return operator new[] (too_much); });
  expect_throw ([&] { return operator new (too_much, align); });
  expect_throw ([&] { return operator new[] (too_much, align); });
  if (operator new (too_much, std::nothrow) != nullptr
      || operator new[] (too_much, align, std::nothrow) != nullptr)
    abort ();
  // A constructor that throws: the memory is given back.
  struct Thrower
  {
    char bytes[1000];
    Thrower () { throw 7; }
  };
  for (int i = 0; i < 100; i++)
    try
      {
        delete new Thrower;
        abort ();
      }
    catch (int seven)
      {
        if (seven != 7)
          abort ();
      }
  expect_shared (kept, 100);
  delete[] kept;
}
