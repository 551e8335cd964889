/* An array of rows, each allocated by itself: the rows are mapped one by one
   and their device addresses gathered into a table.  */
/* { dg-do run } */

#include <stdint.h>
#include <stdlib.h>

#define ROWS 20
#define COLUMNS 300

int
main (void)
{
  int *row[ROWS];
  int *on_device[ROWS];

  for (int i = 0; i < ROWS; i++)
    {
      int *r = (int *) malloc (COLUMNS * sizeof *r);
      for (int j = 0; j < COLUMNS; j++)
        r[j] = i * j;
      #pragma omp target enter data map(to: r[0:COLUMNS])
      #pragma omp target data use_device_ptr(r)
      on_device[i] = r;
      row[i] = r;
    }

  #pragma omp target map(to: on_device)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      on_device[i][j] += 1;

  for (int i = 0; i < ROWS; i++)
    {
      int *r = row[i];
      #pragma omp target exit data map(from: r[0:COLUMNS])
      for (int j = 0; j < COLUMNS; j++)
        if (r[j] != i * j + 1)
          abort ();
      free (r);
    }
  return 0;
}
