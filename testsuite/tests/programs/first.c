/* The first that the program does with the device is to ask for a block, by the routine of the
   first argument.  */

#include <omp.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (int count, char **argument)
{
  char *block = malloc (3000), *name = count > 1 ? argument[1] : "";
  int is_there = 0;

  block[2999] = 1;
  if (strcmp (name, "acc_is_present") == 0)
    is_there = acc_is_present (block, 3000);
  else if (strcmp (name, "acc_deviceptr") == 0)
    is_there = acc_deviceptr (block) == block;
  else if (strcmp (name, "acc_hostptr") == 0)
    is_there = acc_hostptr (block) == block;
  else if (strcmp (name, "omp_target_is_present") == 0)
    is_there = omp_target_is_present (block, omp_get_default_device ());
#if __GNUC__ >= 13
  else if (strcmp (name, "omp_target_is_accessible") == 0)
    is_there = omp_target_is_accessible (block, 3000, omp_get_default_device ());
  else if (strcmp (name, "omp_get_mapped_ptr") == 0)
    is_there = omp_get_mapped_ptr (block, omp_get_default_device ()) == block;
#endif
  else
    return 2;
  printf ("%s\n", is_there ? "there" : "not there");
  free (block);
  return 0;
}
