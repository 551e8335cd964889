/* A program that ends in the middle of a "target data" construct, by exit from a
   function called there, keeps its exit status.  */
/* { dg-do run } */
/* { dg-no-kernel "ends before its region" } */
/* { dg-shouldfail "exits with 3" } */
/* { dg-output {^bye\n$} } */

#include <stdio.h>
#include <stdlib.h>

static void
leave (int *x)
{
  if (x[0] == 7)
    {
      puts ("bye");
      exit (3);
    }
}

int
main (void)
{
  int x[100] = { 7 };

  #pragma omp target data map(tofrom: x)
  leave (x);
  return 0;
}
