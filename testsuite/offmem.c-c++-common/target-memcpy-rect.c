/* omp_target_memcpy_rect brings a rectangle out of the middle of a matrix on
   the device and leaves the rest of the host's matrix alone.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define ROWS 30
#define COLUMNS 50

int
main (void)
{
  int device = omp_get_default_device ();
  int host = omp_get_initial_device ();
  size_t size = ROWS * COLUMNS * sizeof (int);
  int *m = (int *) calloc (ROWS * COLUMNS, sizeof *m);
  int *d = (int *) omp_target_alloc (size, device);
  size_t volume[2] = { 10, 20 };
  size_t to[2] = { 5, 7 }, from[2] = { 1, 2 };
  size_t shape[2] = { ROWS, COLUMNS };

  #pragma omp target is_device_ptr(d)
  for (int i = 0; i < ROWS * COLUMNS; i++)
    d[i] = i;

  if (omp_target_memcpy_rect (m, d, sizeof *m, 2, volume, to, from, shape, shape,
                              host, device) != 0)
    abort ();

  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      {
        int inside = i >= 5 && i < 15 && j >= 7 && j < 27;
        if (m[i * COLUMNS + j] != (inside ? (i - 4) * COLUMNS + j - 5 : 0))
          abort ();
      }
  omp_target_free (d, device);
  free (m);
  return 0;
}
