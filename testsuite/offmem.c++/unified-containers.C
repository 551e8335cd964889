// Lists, maps, hash maps, deques and strings, looked up and changed by the device.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 8192 }
// { dg-additional-options "-std=c++17" }
// { dg-skip-if "constructors that are aliases, for nvptx" { ! gcc15_or_later } { "-O0" } }

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <stdlib.h>

struct World
{
  std::list<int> list;
  std::forward_list<int> forward;
  std::map<int, double> map;
  std::unordered_map<int, std::string> names;
  std::deque<long> deque;
};

int
main ()
{
  enum { N = 500 };
  World *w = new World;
  for (int i = 0; i < N; i++)
    {
      w->list.push_back (i);
      w->forward.push_front (i);
      w->map[i * 7 % N] = i;
      // Of which short ones are within the object, others not.
      w->names[3 * i] = std::string (1 + i % 40, 'a');
      w->deque.push_back (i);
    }
  long sum = 0, found = 0, letters = 0;
  #pragma omp target map(tofrom: sum, found, letters)
  {
    for (int &x : w->list)
      sum += x++;
    for (int &x : w->forward)
      sum += x--;
    for (long &x : w->deque)
      sum += x *= 2;
    for (auto &entry : w->names)
      {
        letters += entry.second.size ();
        entry.second[0] = 'b';
      }
    for (int i = 0; i < 2 * N; i++)
      {
        auto at = w->map.find (i);
        if (at != w->map.end ())
          {
            found++;
            at->second += i;
          }
        auto name = w->names.find (i);
        if (name != w->names.end ())
          found += name->second.back () == 'a';
      }
  }
  long n = N;
  if (sum != n * (n - 1) * 2 || w->list.front () != 1 || w->forward.front () != N - 2)
    abort ();
  long named = 0, expected = 0;
  for (int i = 0; i < N; i++)
    {
      const std::string &name = w->names[3 * i];
      expected += 1 + i % 40;
      named += 3 * i < 2 * N && i % 40 != 0;
      if (name[0] != 'b' || w->deque[i] != 2 * i || w->map[i * 7 % N] != i + i * 7 % N)
        abort ();
    }
  if (found != N + named || letters != expected)
    abort ();
  delete w;
}
