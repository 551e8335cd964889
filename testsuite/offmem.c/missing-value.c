/* An option without its value.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=" } */

int x;

/* { dg-error "missing argument to '-foffload-memory='" "" { target *-*-* } 0 } */
/* { dg-prune-output "valid arguments to" } */
