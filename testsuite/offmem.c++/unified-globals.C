// Global containers outlive libgomp's end of the device: static destructors read, change and
// free what they hold.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 4096 }
// { dg-output {^done 500500\n$} }

#include <cstdio>
#include <map>
#include <string>
#include <vector>
#include <stdlib.h>

static struct Last
{
  std::vector<std::vector<int> > rows;
  std::map<std::string, std::string> names;
  ~Last ()
  {
    long sum = 0;
    for (auto &row : rows)
      for (int x : row)
        sum += x;
    names["one more than there was"] = std::string (1000, 'x');
    rows.emplace_back (100000, 1);
    if (names["a name that is too long for the object"][29] != 'z')
      abort ();
    std::printf ("done %ld\n", sum);
  }
} last;

std::vector<int> global (1000);
static std::vector<int> *leaked = new std::vector<int> (1000);

int
main ()
{
  for (int i = 0; i < 10; i++)
    last.rows.emplace_back (100);
  last.names["a name that is too long for the object"] = std::string (30, 'y');
  std::vector<int> *rows = last.rows.data ();
  char *text = &last.names.begin ()->second[0];
  int *data = global.data (), *others = leaked->data ();
  #pragma omp target
  {
    for (int i = 0; i < 10; i++)
      for (int k = 0; k < 100; k++)
        rows[i][k] = 100 * i + k + 1;
    text[29] = 'z';
    data[999] = 5;
    others[0] = 6;
  }
  if (global[999] != 5 || (*leaked)[0] != 6)
    abort ();
}
