/* The limits hold in a child as well, which allocates and offloads freely.  */
/* { dg-do run { target { can_drop_ipc_lock && { ! offload_device } } } } */
/* { dg-set-target-env-var OFFMEM "quiet" } */

#include <string.h>
#include <sys/wait.h>
#include "limited.h"

int
main (int argc, char **argv)
{
  int status;

  run_limited (argv, 65536);
  pid_t child = fork ();
  if (child == 0)
    {
      char *block = malloc (16 << 20);
      memset (block, 1, 16 << 20);
      #pragma omp target map(tofrom: block[0:100])
      block[99] = 2;
      _exit (block[99] == 2 ? 0 : 1);
    }
  if (waitpid (child, &status, 0) != child || status != 0)
    abort ();
  return 0;
}
