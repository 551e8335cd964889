/* Strings that are copied into memory of their own are shared.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */

#include <string.h>
#include "unified.h"

int
main (int argc, char **argv)
{
  char *whole = strdup ("unified memory"), *part = strndup ("unified memory", 7);
  char *name = strdup (argv[argc - 1]);
  int vowels = 0;

  expect_shared (whole, 15);
  expect_shared (part, 8);
  expect_shared (name, strlen (name) + 1);
  if (strcmp (whole, "unified memory") != 0 || strcmp (part, "unified") != 0)
    abort ();
  #pragma omp target map(tofrom: vowels)
  for (char *p = whole; *p; p++)
    {
      vowels += *p == 'u' || *p == 'i' || *p == 'e' || *p == 'o';
      if (*p == ' ')
        *p = '_';
    }
  if (vowels != 6 || strcmp (whole, "unified_memory") != 0)
    abort ();
  free (whole);
  free (part);
  free (name);
  return 0;
}
