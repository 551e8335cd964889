/* The same where the device reads memory through the page tables of the host: nothing is
   copied but what is declare target.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */
/* { dg-set-target-env-var SOFTCUDA_HOST_PAGE_TABLES "1" } */

#include "unified-pageable.h"
