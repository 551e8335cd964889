/* A structure with a pointer member: s.data[0:n] is mapped, and the pointer
   inside the device's copy of s points to the device's data.  */
/* { dg-do run } */

#include <stdlib.h>

struct vector
{
  int n;
  double *data;
};

int
main (void)
{
  struct vector s;
  s.n = 3000;
  s.data = (double *) malloc (s.n * sizeof *s.data);
  for (int i = 0; i < s.n; i++)
    s.data[i] = i;

  #pragma omp target map(to: s) map(tofrom: s.data[0:s.n])
  for (int i = 0; i < s.n; i++)
    s.data[i] += 0.5;

  for (int i = 0; i < s.n; i++)
    if (s.data[i] != i + 0.5)
      abort ();
  free (s.data);
  return 0;
}
