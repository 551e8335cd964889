/* On a device that reads pageable memory, what is on the stack, static or of mmap is used where
   it is, too; what is declare target is not.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */
/* { dg-set-target-env-var SOFTCUDA_PAGEABLE_ACCESS "1" } */

#include "unified-pageable.h"
