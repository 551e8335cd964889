/* GCC 12 refuses these clauses itself, and with pinned memory that is right.  */
/* { dg-do compile { target { ! gcc13_or_later } } } */

#pragma omp requires unified_shared_memory /* { dg-message "sorry, unimplemented: 'unified_shared_memory'" } */

int x;
