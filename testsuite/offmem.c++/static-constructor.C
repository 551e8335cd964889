// A static object's constructor that offloads before main, and a destructor that
// does so after it: both find the runtime working.
// { dg-do run }
// { dg-output {^before\nmain\nafter\n$} }

#include <cstdio>
#include <cstdlib>

struct Early
{
  int value[50];

  Early ()
  {
    int *p = value;
    #pragma omp target map(from: p[0:50])
    for (int i = 0; i < 50; i++)
      p[i] = i;
    puts ("before");
  }
  ~Early ()
  {
    int sum = 0;
    int *p = value;
    #pragma omp target map(to: p[0:50]) map(tofrom: sum)
    for (int i = 0; i < 50; i++)
      sum += p[i];
    if (sum != 1225)
      abort ();
    puts ("after");
  }
};

static Early early;

int
main ()
{
  if (early.value[49] != 49)
    abort ();
  puts ("main");
}
