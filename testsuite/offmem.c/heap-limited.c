/* Where the address space is limited (ulimit -v) nothing is reserved: blocks are libc's, and
   the limit holds as it would without us.  */
/* { dg-do run } */
/* { dg-no-kernel "a limit that no device fits in" } */
/* { dg-additional-options "-foffload=disable" } */

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "heap.h"

int
main (int argc, char **argv)
{
  struct rlimit limit = { 1 << 30, 1 << 30 };

  if (argc == 1)
    {
      setrlimit (RLIMIT_AS, &limit);
      execl ("/proc/self/exe", argv[0], "limited", NULL);
      abort ();
    }
  char *block = malloc (10 << 20);
  if (block == NULL || owned (block))
    abort ();
  memset (block, 1, 10 << 20);
  block = realloc (block, 20 << 20);
  if (block == NULL || block[(10 << 20) - 1] != 1)
    abort ();
  free (block);
  volatile size_t too_much = (size_t) 2 << 30;
  errno = 0;
  /* A result that nobody uses would be no allocation.  */
  void *volatile refused = malloc (too_much);
  if (refused != NULL || errno != ENOMEM)
    abort ();
  offload ();
  return 0;
}
