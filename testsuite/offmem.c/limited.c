/* With 64 KiB that may be locked, and no right to more, nothing is locked and one
   line says what limit is needed.  Locking would make later allocations fail:
   a big block, a thread and a deep stack must all be had.  */
/* { dg-do run { target { can_drop_ipc_lock && { ! offload_device } } } } */
/* { dg-additional-options "-pthread" } */
/* { dg-output {libgomp-offmem: memory is left unpinned: [^\n]*64 KiB[^\n]*unlimited[^\n]*\nok\n$} } */

#include <pthread.h>
#include <string.h>
#include "limited.h"
#include "vmlck.h"

#define BIG (64 << 20)

static __attribute__ ((noinline)) int
deep (int depth)
{
  volatile char frame[4096];
  frame[0] = depth;
  return depth == 0 ? frame[0] : deep (depth - 1) + (frame[0] & 0);
}

static void *
thread (void *argument)
{
  deep (100);
  return argument;
}

int
main (int argc, char **argv)
{
  pthread_t id;
  void *result = NULL;

  run_limited (argv, 65536);
  if (vmlck_kib () != 0)
    abort ();

  char *block = malloc (BIG);
  if (block == NULL)
    abort ();
  memset (block, 1, BIG);
  if (pthread_create (&id, NULL, thread, block) != 0 || pthread_join (id, &result) != 0
      || result != block)
    abort ();
  deep (1000);

  #pragma omp target map(tofrom: block[0:BIG])
  block[BIG - 1] = 2;
  if (block[BIG - 1] != 2 || vmlck_kib () != 0)
    abort ();
  free (block);
  puts ("ok");
  return 0;
}
