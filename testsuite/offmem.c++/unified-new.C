// Every replaceable form of new and delete gives memory that is shared with the device.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 4096 }
// { dg-additional-options "-std=c++17" }

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include "../offmem.c-c++-common/unified.h"

static void
check (void *block, std::size_t size, std::uintptr_t alignment)
{
  if (block == nullptr || reinterpret_cast<std::uintptr_t> (block) % alignment)
    abort ();
  std::memset (block, 1, size);
  expect_shared (block, size);
}

struct alignas (256) Wide
{
  double values[32];
};

int
main ()
{
  for (std::size_t size : { 24u, 5000u, 1000000u })
    {
      void *p = operator new (size);
      check (p, size, 16);
      operator delete (p);
      p = operator new[] (size);
      check (p, size, 16);
      operator delete[] (p, size);
      p = operator new (size, std::nothrow);
      check (p, size, 16);
      operator delete (p, std::nothrow);
      p = operator new[] (size, std::nothrow);
      check (p, size, 16);
      operator delete[] (p, std::nothrow);
      for (std::size_t alignment : { 32u, 4096u, 1u << 20 })
        {
          auto align = std::align_val_t (alignment);
          p = operator new (size, align);
          check (p, size, alignment);
          operator delete (p, align);
          p = operator new[] (size, align);
          check (p, size, alignment);
          operator delete[] (p, size, align);
          p = operator new (size, align, std::nothrow);
          check (p, size, alignment);
          operator delete (p, align, std::nothrow);
          p = operator new[] (size, align, std::nothrow);
          check (p, size, alignment);
          operator delete[] (p, align, std::nothrow);
        }
    }
  int *one = new int (5);
  Wide *wide = new Wide[10];
  check (wide, sizeof (Wide) * 10, 256);
  #pragma omp target
  {
    *one += 1;
    wide[9].values[31] = 2.5;
  }
  if (*one != 6 || wide[9].values[31] != 2.5)
    abort ();
  delete one;
  delete[] wide;
}
