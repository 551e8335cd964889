// Arrays from new[], over-aligned ones too, mapped and deleted in turn; a new
// that cannot succeed still throws.
// { dg-do run }
// { dg-additional-options "-std=c++17" }

#include <cstdint>
#include <cstdlib>
#include <new>

struct alignas (256) Wide
{
  int value[64];
};

int
main ()
{
  for (int round = 1; round <= 50; round++)
    {
      int n = 40 * round;
      Wide *w = new Wide[n];
      if (reinterpret_cast<std::uintptr_t> (w) % 256)
        abort ();
      #pragma omp target map(from: w[0:n])
      for (int i = 0; i < n; i++)
        for (int j = 0; j < 64; j++)
          w[i].value[j] = i + j + round;
      if (w[n - 1].value[63] != n - 1 + 63 + round)
        abort ();
      delete[] w;
    }

  try
    {
      volatile std::size_t too_much = SIZE_MAX / 4;
      char *volatile p = new char[too_much];
      p[0] = 1;
      abort ();
    }
  catch (const std::bad_alloc &)
    {
    }
}
