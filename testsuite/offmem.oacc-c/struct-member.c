/* The array behind a pointer in a structure is attached to the device's copy of
   the structure.  */
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
  struct vector v = { 800, NULL };
  v.data = malloc (v.n * sizeof *v.data);
  for (int i = 0; i < v.n; i++)
    v.data[i] = i;

  #pragma acc enter data copyin(v)
  #pragma acc enter data copyin(v.data[0:v.n])
  #pragma acc parallel loop present(v)
  for (int i = 0; i < 800; i++)
    v.data[i] += 0.25;
  #pragma acc exit data copyout(v.data[0:v.n])
  #pragma acc exit data delete(v)

  for (int i = 0; i < v.n; i++)
    if (v.data[i] != i + 0.25)
      abort ();
  free (v.data);
  return 0;
}
