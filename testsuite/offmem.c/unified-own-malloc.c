/* A program with a malloc of its own keeps it: one line, and memory that is mapped.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-additional-options "-fno-builtin -Wno-free-nonheap-object" } */
/* { dg-output {^libgomp-offmem: [^\n]*unified[^\n]*\nok\n$} { target offload_device } } */

#include "own-malloc.h"

enum { N = 100000 };

#include "unified-mapped.h"
