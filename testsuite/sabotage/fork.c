/* A child has its parent's memory, and none of its registrations.  */

#include "common.h"
#include <sys/wait.h>

int
main (void)
{
  unsigned char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int status;
  memset (p, 1, SIZE);
  expect (read_there (p) == 1 && offmem_is_pinned (p, SIZE), "it never was registered");
  pid_t child = fork ();
  if (child == 0)
    {
      int pinned = offmem_is_pinned (p, SIZE);
      munmap (p, SIZE);
      _exit (pinned);
    }
  expect (waitpid (child, &status, 0) == child && status == 0,
          "the child takes itself for its parent");
  memset (p, 2, SIZE);
  expect (read_there (p) == 2, "the device read other memory");
  return 0;
}
