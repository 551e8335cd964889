/* The first that the program does with the device is to ask for a block, or to map it, by the
   routine of the first argument.  */

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
  else if (strcmp (name, "acc_map_data") == 0)
    {
      /* Where the program says that it is.  */
      void *own = acc_malloc (1000);
      acc_map_data (block, own, 1000);
      is_there = acc_deviceptr (block) == own && !acc_is_present (block + 1000, 1);
      acc_unmap_data (block);
      is_there &= !acc_is_present (block, 1000);
      acc_free (own);
    }
  else if (strcmp (name, "omp_target_associate_ptr") == 0)
    {
      int device = omp_get_default_device ();
      is_there = omp_target_associate_ptr (block, block, 3000, 0, device) == 0
		 && omp_target_is_present (block, device);
    }
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
