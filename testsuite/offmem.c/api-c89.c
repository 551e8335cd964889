/* offmem.h is C as it was in 1989.  */
/* { dg-do compile } */
/* { dg-options "-std=c89 -pedantic -Wall -Wextra -Wc++-compat" } */

#include <offmem.h>

int
pinned (const int *x)
{
  return offmem_is_pinned (x, sizeof *x);
}
