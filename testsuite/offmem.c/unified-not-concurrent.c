/* A device on which host and kernels may not use managed memory at once: one line, and plain
   memory that is mapped.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-set-target-env-var SOFTCUDA_CONCURRENT_MANAGED "0" } */
/* { dg-output {^libgomp-offmem: [^\n]*unified[^\n]*\nok\n$} { target offload_device } } */

enum { N = 100000 };

#include "unified-mapped.h"
