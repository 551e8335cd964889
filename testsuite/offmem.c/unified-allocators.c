/* In unified mode each call of an allocator has its line in the dump.  What is
   called through a pointer, and the user's functions, are left alone.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=unified -fdump-tree-offmem" } */

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void *(*indirect) (size_t) = malloc;
void *malloc_mine (size_t);

int
call (void **p, const char *s)
{
  p[0] = malloc (10);
  p[1] = calloc (3, 4);
  p[2] = realloc (p[0], 20);
  p[3] = reallocarray (p[1], 4, 4);
  p[4] = aligned_alloc (64, 128);
  p[6] = memalign (64, 128);
  p[7] = valloc (100);
  p[8] = strdup (s);
  p[9] = strndup (s, 3);
  p[10] = indirect (9);
  p[11] = malloc_mine (9);
  p[12] = __builtin_malloc (9);
  free (p[2]);
  return posix_memalign (&p[5], 64, 128);
}

/* { dg-final { scan-tree-dump {unified-allocators\.c:16: call: malloc -> offmem_malloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:17: call: calloc -> offmem_calloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:18: call: realloc -> offmem_realloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:19: call: reallocarray -> offmem_reallocarray\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:20: call: aligned_alloc -> offmem_aligned_alloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:21: call: memalign -> offmem_memalign\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:22: call: valloc -> offmem_valloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:23: call: strdup -> offmem_strdup\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:24: call: strndup -> offmem_strndup\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:27: call: malloc -> offmem_malloc\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:28: call: free -> offmem_free\n} "offmem" } } */
/* { dg-final { scan-tree-dump {:29: call: posix_memalign -> offmem_posix_memalign\n} "offmem" } } */
/* { dg-final { scan-tree-dump-times { -> offmem_} 12 "offmem" } } */
/* { dg-final { scan-assembler {\mmalloc\M} } } */
/* { dg-final { scan-assembler {[^_]malloc_mine} } } */
