/* A wrong value is GCC's own kind of error: it lists the right ones.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=fast" } */

int x;

/* { dg-error "unrecognized argument in option '-foffload-memory=fast'" "" { target *-*-* } 0 } */
/* { dg-note "valid arguments to '-foffload-memory=' are: none pinned unified" "" { target *-*-* } 0 } */
