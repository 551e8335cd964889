/* OFFMEM=mandatory: where memory cannot be pinned the program ends with status 1
   before main, and says why.  */
/* { dg-do run { target { can_drop_ipc_lock && { ! offload_device } } } } */
/* { dg-output {libgomp-offmem: memory is left unpinned: [^\n]*64 KiB[^\n]*\nok\n$} } */

#include <stdio.h>
#include <sys/wait.h>
#include "limited.h"

int
main (int argc, char **argv)
{
  int status;

  if (is_limited ())
    /* The limited child should not have come here.  */
    _exit (99);

  pid_t child = fork ();
  if (child == 0)
    {
      setenv ("OFFMEM", "mandatory", 1);
      run_limited (argv, 65536);
    }
  if (child < 0 || waitpid (child, &status, 0) != child
      || !WIFEXITED (status) || WEXITSTATUS (status) != 1)
    abort ();
  /* A construct, so that this is a unit with OpenMP.  */
  #pragma omp target
  ;
  puts ("ok");
  return 0;
}
