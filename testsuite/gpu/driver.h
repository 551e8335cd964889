/* The CUDA driver, found at run time, so that building needs no toolkit.
   Prototypes as in the CUDA Driver API reference.  */

#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct context *CUcontext;
typedef struct stream *CUstream;

enum
{
  REGISTER_PORTABLE = 1,
  REGISTER_READ_ONLY = 8,
  ATTACH_GLOBAL = 1,
  ADVISE_PREFERRED_LOCATION = 3,
  POINTER_MEMORY_TYPE = 2,
  POINTER_IS_MANAGED = 8,
  MEMORY_TYPE_HOST = 1
};

/* Field, exported name, parameters.  */
#define DRIVER_FUNCTIONS(F) \
  F (init, "cuInit", (unsigned)) \
  F (version, "cuDriverGetVersion", (int *)) \
  F (device_count, "cuDeviceGetCount", (int *)) \
  F (device_get, "cuDeviceGet", (CUdevice *, int)) \
  F (device_name, "cuDeviceGetName", (char *, int, CUdevice)) \
  F (device_memory, "cuDeviceTotalMem_v2", (size_t *, CUdevice)) \
  F (device_attribute, "cuDeviceGetAttribute", (int *, int, CUdevice)) \
  F (context_create, "cuCtxCreate_v2", (CUcontext *, unsigned, CUdevice)) \
  F (context_destroy, "cuCtxDestroy_v2", (CUcontext)) \
  F (context_current, "cuCtxGetCurrent", (CUcontext *)) \
  F (context_push, "cuCtxPushCurrent_v2", (CUcontext)) \
  F (context_pop, "cuCtxPopCurrent_v2", (CUcontext *)) \
  F (synchronize, "cuCtxSynchronize", (void)) \
  F (allocate, "cuMemAlloc_v2", (CUdeviceptr *, size_t)) \
  F (free, "cuMemFree_v2", (CUdeviceptr)) \
  F (manage, "cuMemAllocManaged", (CUdeviceptr *, size_t, unsigned)) \
  F (prefetch, "cuMemPrefetchAsync", (CUdeviceptr, size_t, CUdevice, CUstream)) \
  F (advise, "cuMemAdvise", (CUdeviceptr, size_t, int, CUdevice)) \
  F (host_allocate, "cuMemHostAlloc", (void **, size_t, unsigned)) \
  F (host_free, "cuMemFreeHost", (void *)) \
  F (host_register, "cuMemHostRegister_v2", (void *, size_t, unsigned)) \
  F (host_unregister, "cuMemHostUnregister", (void *)) \
  F (to_device, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t)) \
  F (from_device, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t)) \
  F (to_device_async, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream)) \
  F (stream_create, "cuStreamCreate", (CUstream *, unsigned)) \
  F (stream_synchronize, "cuStreamSynchronize", (CUstream)) \
  F (pointer_attribute, "cuPointerGetAttribute", (void *, int, CUdeviceptr))

struct driver
{
#define FIELD(FIELD, NAME, PARAMETERS) CUresult (*FIELD) PARAMETERS;
  DRIVER_FUNCTIONS (FIELD)
#undef FIELD
};

extern struct driver cu;

/* Loads the driver and looks for a device.  Returns a null pointer, or why
   there is none.  */
const char *driver_start (void);

/* Makes a context of the first device, which is then current.  */
CUcontext driver_context (void);

/* Ends the program unless RESULT is success.  */
void must (CUresult result, const char *what);
#define MUST(CALL) must (CALL, #CALL)

#endif
