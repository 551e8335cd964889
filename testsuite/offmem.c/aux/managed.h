/* Managed memory that the program itself makes the default device's.  */

#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>

static void *
managed (size_t size)
{
  int device = omp_get_default_device ();
  /* Initialises the device, and leaves libgomp's context current.  */
  omp_target_free (omp_target_alloc (8, device), device);
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW), *memory = NULL;
  if (!driver)
    abort ();
  int (*allocate) (void **, size_t, unsigned)
    = (int (*) (void **, size_t, unsigned)) dlsym (driver, "cuMemAllocManaged");
  if (!allocate || allocate (&memory, size, 1) != 0
      || omp_target_associate_ptr (memory, memory, size, 0, device) != 0)
    abort ();
  return memory;
}
