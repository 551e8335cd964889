// An exception out of a redirected new reaches its handler, past destructors; one
// out of a constructor gives the memory back (if the optimizers left any of that).
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-unit "aux/plain-new.C" "-foffload-memory=none" }

#include <cstdlib>
#include <new>

extern volatile int news, deletes;

struct Guard
{
  int &passed;
  ~Guard () { passed++; }
};

struct Huge
{
  char c[std::size_t (1) << 60];
};

struct Throws
{
  Throws () { throw 3; }
  int x;
};

int
main ()
{
  int passed = 0, caught = 0, x = 0;
  #pragma omp target map(from: x)
  x = 1;

  try
    {
      Guard guard { passed };
      Huge *volatile huge = new Huge;
      delete huge;
    }
  catch (const std::bad_alloc &)
    {
      caught++;
    }
  if (caught != 1 || passed != 1 || news != 0 || deletes != 0)
    abort ();

  try
    {
      Guard guard { passed };
      Throws *volatile t = new Throws;
      delete t;
    }
  catch (int)
    {
      caught++;
    }
  if (caught != 2 || passed != 2 || news != deletes || x != 1)
    abort ();
}
