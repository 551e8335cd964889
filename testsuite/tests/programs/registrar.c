/* A library that registers its users' memory with the CUDA driver, as communication
   libraries and solvers do: by the driver's own names, or (-DBY_HANDLE) by
   functions that it looks up in the driver.  */

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef BY_HANDLE
static void *
driver (const char *name)
{
  void *handle = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *function = handle ? dlsym (handle, name) : NULL;
  if (function == NULL)
    abort ();
  return function;
}

#define cuMemHostRegister_v2 ((int (*) (void *, size_t, unsigned)) driver ("cuMemHostRegister_v2"))
#define cuMemHostUnregister ((int (*) (void *)) driver ("cuMemHostUnregister"))
#else
extern int cuMemHostRegister_v2 (void *, size_t, unsigned);
extern int cuMemHostUnregister (void *);
#endif

int
registrar_add (void *p, size_t size)
{
  return cuMemHostRegister_v2 (p, size, 1);
}

int
registrar_remove (void *p)
{
  return cuMemHostUnregister (p);
}
