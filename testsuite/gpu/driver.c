#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct driver cu;

const char *
driver_start (void)
{
  static char reason[128];
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  int count = 0;

  if (library == NULL)
    return "there is no libcuda.so.1";
#define FIND(FIELD, NAME, PARAMETERS) \
  if ((*(void **) &cu.FIELD = dlsym (library, NAME)) == NULL) \
    return "libcuda.so.1 has no " NAME;
  DRIVER_FUNCTIONS (FIND)
#undef FIND
  CUresult result = cu.init (0);
  if (result == 0)
    result = cu.device_count (&count);
  if (result != 0)
    {
      snprintf (reason, sizeof reason, "the driver does not start (error %d)", result);
      return reason;
    }
  return count > 0 ? NULL : "the driver has no device";
}

CUcontext
driver_context (void)
{
  CUdevice device;
  CUcontext context;

  MUST (cu.device_get (&device, 0));
  MUST (cu.context_create (&context, 0, device));
  return context;
}

void
must (CUresult result, const char *what)
{
  if (result == 0)
    return;
  fprintf (stderr, "probe: %s: error %d\n", what, result);
  exit (2);
}
