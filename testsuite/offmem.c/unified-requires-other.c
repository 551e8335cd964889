/* What GCC 12 says of other clauses of "requires" is still said, and so is what is
   wrong.  */
/* { dg-do compile { target { ! gcc13_or_later } } } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */

#pragma omp requires unified_address, reverse_offload /* { dg-message "sorry, unimplemented: 'reverse_offload'" } */
#pragma omp requires unified_address /* { dg-bogus "sorry" } */
#pragma omp requires unified_shared_memory bogus /* { dg-error "expected 'unified_address'" } */

int x;
