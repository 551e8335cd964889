// Every form of new and delete, for big blocks and small ones: they come from the runtime's
// heap and go back there, and new throws where there is no memory.
// { dg-do run }
// { dg-additional-options "-std=c++17" }

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

static void
check (void *block, std::size_t size, std::uintptr_t alignment)
{
  auto address = reinterpret_cast<std::uintptr_t> (block);
  if (block == nullptr || address % alignment || (size >= 128 << 10 && address % (64 << 10)))
    abort ();
  std::memset (block, 1, size);
}

struct alignas (4096) Page
{
  char bytes[4096];
};

int
main ()
{
  for (std::size_t size : { 100u, 128u << 10, 3000000u })
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
      for (std::size_t alignment : { 32u, 4096u, 1u << 20 })
        {
          auto align = std::align_val_t (alignment);
          p = operator new (size, align);
          check (p, size, alignment);
          operator delete (p, align);
          p = operator new[] (size, align);
          check (p, size, alignment);
          operator delete[] (p, size, align);
        }
    }
  Page *pages = new Page[100];
  check (pages, sizeof (Page) * 100, 4096);
  delete[] pages;

  std::vector<double> v;
  for (int i = 0; i < 1000000; i++)
    v.push_back (i);
  double *data = v.data ();
  std::size_t n = v.size ();
  #pragma omp target map(tofrom: data[0:n])
  for (std::size_t i = 0; i < n; i++)
    data[i] += 1;
  if (v[0] != 1 || v[n - 1] != n)
    abort ();

  volatile std::size_t too_much = PTRDIFF_MAX - 4096;
  if (operator new (too_much, std::nothrow) != nullptr)
    abort ();
  try
    {
      void *volatile p = operator new (too_much, std::align_val_t (4096));
      operator delete (p, std::align_val_t (4096));
      abort ();
    }
  catch (const std::bad_alloc &)
    {
    }
}
