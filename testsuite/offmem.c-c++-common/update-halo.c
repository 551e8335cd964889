/* The border of a grid, one element of each row with a stride of a row between
   them, is brought back by one small "target update" for each.  */
/* { dg-do run } */

#include <stdlib.h>

#define ROWS 40
#define COLUMNS 100

int
main (void)
{
  double *grid = (double *) calloc (ROWS * COLUMNS, sizeof *grid);

  #pragma omp target enter data map(to: grid[0:ROWS * COLUMNS])
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < ROWS * COLUMNS; i++)
    grid[i] = i;

  for (int row = 0; row < ROWS; row++)
    {
      int first = row * COLUMNS, last = first + COLUMNS - 1;
      #pragma omp target update from(grid[first:1], grid[last:1])
    }
  #pragma omp target exit data map(release: grid[0:ROWS * COLUMNS])

  for (int row = 0; row < ROWS; row++)
    if (grid[row * COLUMNS] != row * COLUMNS
        || grid[row * COLUMNS + COLUMNS - 1] != row * COLUMNS + COLUMNS - 1)
      abort ();
  free (grid);
  return 0;
}
