/* A unit without OpenACC constructs gets nothing.  */
/* { dg-do compile } */

int
twice (int x)
{
  return 2 * x;
}

/* { dg-final { scan-assembler-not "offmem_" } } */
