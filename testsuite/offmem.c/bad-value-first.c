/* Every value on the command line must be one that there is, not just the last,
   as for GCC's own options.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=fast -foffload-memory=pinned" } */

int x;

/* { dg-error "unrecognized argument in option '-foffload-memory=fast'" "" { target *-*-* } 0 } */
/* { dg-note "valid arguments to '-foffload-memory=' are: none pinned unified" "" { target *-*-* } 0 } */
