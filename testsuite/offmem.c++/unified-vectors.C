// Vectors of vectors are read and written by the device through the outer one: the rows are
// where they say they are.
// { dg-do run }
// { dg-skip-if "constructors that are aliases, for nvptx" { ! gcc15_or_later } { "-O0" } }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 8192 }

#include <numeric>
#include <vector>
#include <stdlib.h>

typedef std::vector<std::vector<double> > Matrix;

int
main ()
{
  enum { ROWS = 60, COLUMNS = 80 };
  Matrix *m = new Matrix (ROWS);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS + r; c++)
      (*m)[r].push_back (r + c);

  double sum = 0;
  #pragma omp target teams distribute parallel for map(tofrom: sum) reduction(+: sum)
  for (int r = 0; r < ROWS; r++)
    for (double &x : (*m)[r])
      {
        sum += x;
        x *= 2;
      }
  double expected = 0;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS + r; c++)
      {
        expected += r + c;
        if ((*m)[r][c] != 2 * (r + c))
          abort ();
      }
  if (sum != expected)
    abort ();

  // One on the stack, of which only the header is mapped, and one that grows.
  std::vector<int> v (100, 1);
  for (int round = 0; round < 5; round++)
    {
      v.resize (2 * v.size (), round);
      #pragma omp target map(to: v)
      for (std::size_t i = 0; i < v.size (); i++)
        v[i] += 1;
    }
  // 5 rounds saw the first 200, where the first half was 1; each later half began with its round.
  if (v.size () != 3200 || std::accumulate (v.begin (), v.end (), 0) != 100 + 5 * 3200)
    abort ();
  Matrix moved = std::move (*m);
  delete m;
  const Matrix *p = &moved;
  double corner = 0;
  #pragma omp target map(to: p[0:1]) map(from: corner)
  corner = (*p)[ROWS - 1].back ();
  if (corner != 2 * (ROWS - 1 + COLUMNS + ROWS - 2))
    abort ();
}
