/* The driver has no managed memory at all: one line where the first 2 MiB are full, and plain
   memory that is mapped.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-set-target-env-var SOFTCUDA_FAIL "cuMemAllocManaged:*=OUT_OF_MEMORY" } */
/* { dg-output {^libgomp-offmem: [^\n]*unified[^\n]*\nok\n$} { target offload_device } } */

enum { N = 400000 };

#include "unified-mapped.h"
