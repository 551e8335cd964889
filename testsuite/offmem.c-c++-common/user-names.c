/* Names that the plugin uses for its own things, used by a program for others:
   a function, a variable, a macro and a structure.  */
/* { dg-do run } */

#include <stdlib.h>

#define offmem_macro(x) ((x) + 1)

struct unit
{
  int offmem;
};

static int site = 3;
static int unit = 4;

static int
offmem_thing (int x)
{
  return offmem_macro (x);
}

int
main (void)
{
  struct unit offmem_unit = { 5 };
  int result = 0;

  #pragma omp target map(tofrom: result, offmem_unit) map(to: site, unit)
  {
    result = site + 10 * unit + 100 * offmem_unit.offmem;
    offmem_unit.offmem = 6;
  }

  if (result != 543 || offmem_unit.offmem != 6 || offmem_thing (1) != 2)
    abort ();
  return 0;
}
