/* Handlers of atexit read, change and free unified memory, when libgomp has ended the device.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */
/* { dg-output {^last 3\n$} } */

#include <stdio.h>
#include <string.h>
#include "../offmem.c-c++-common/unified.h"

static int *numbers;
static char *name;

/* Registered before libgomp is first called, so after its own handler.  */
__attribute__ ((constructor)) static void begin (void);

static void
last (void)
{
  if (numbers[0] != 1 || numbers[99999] != 2 || strcmp (name, "unified") != 0)
    abort ();
  numbers[5] = 3;
  numbers = realloc (numbers, 200000 * sizeof *numbers);
  printf ("last %d\n", numbers[5]);
  free (numbers);
  free (name);
  free (malloc (1 << 20));
}

static void
begin (void)
{
  atexit (last);
}

int
main (void)
{
  numbers = calloc (100000, sizeof *numbers);
  name = strdup ("unified");
  #pragma omp target
  {
    numbers[0] = 1;
    numbers[99999] = 2;
  }
  return 0;
}
