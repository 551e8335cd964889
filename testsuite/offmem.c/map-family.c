/* The functions that map memory do and refuse what libc's do, also while a
   device knows of the memory.  */
/* { dg-do run } */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define SIZE ((size_t) 1 << 20)
#define N (SIZE / sizeof (int))
#define MUST(condition) do { if (!(condition)) abort (); } while (0)
#define REFUSED(call, failure, error) \
  do { errno = 0; MUST ((call) == (failure) && errno == (error)); } while (0)

/* The device must see FIRST, FIRST + 1, ... and leaves one more in each.  */
static void
offload (int *x, int first)
{
  int wrong = 0;

  for (size_t i = 0; i < N; i++)
    x[i] = first + i;
  #pragma omp target map(tofrom: x[0:N], wrong)
  for (size_t i = 0; i < N; i++)
    {
      wrong |= x[i] != first + (int) i;
      x[i]++;
    }
  MUST (!wrong);
  for (size_t i = 0; i < N; i++)
    MUST (x[i] == first + (int) i + 1);
}

static void *
map (void *place, size_t size, int flags)
{
  void *x = mmap (place, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  MUST (x != MAP_FAILED);
  return x;
}

static void
mappings (void)
{
  char *x = map (NULL, SIZE, 0), *y, *z;
  char resident;

  REFUSED (mmap (NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED, EINVAL);
  REFUSED (mmap (NULL, SIZE, PROT_READ, MAP_PRIVATE, -1, 0), MAP_FAILED, EBADF);
  REFUSED (mmap (NULL, SIZE_MAX, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED, ENOMEM);
  REFUSED (munmap (x + 1, SIZE), -1, EINVAL);
  REFUSED (munmap (x, 0), -1, EINVAL);
  REFUSED (madvise (x + 1, SIZE, MADV_DONTNEED), -1, EINVAL);
  REFUSED (mremap (x + 1, SIZE, 2 * SIZE, MREMAP_MAYMOVE), MAP_FAILED, EINVAL);
  REFUSED (mremap (x, SIZE, (size_t) 1 << 46, MREMAP_MAYMOVE), MAP_FAILED, ENOMEM);

  offload ((int *) x, 10);
  MUST (map (x, SIZE, MAP_FIXED) == x && x[0] == 0 && x[SIZE - 1] == 0);
  offload ((int *) x, 20);
  MUST (madvise (x, SIZE, MADV_DONTNEED) == 0 && x[0] == 0 && x[SIZE - 1] == 0);
  offload ((int *) x, 30);

  y = map (NULL, 2 * SIZE, 0);
  z = mremap (x, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, y + SIZE);
  MUST (z == y + SIZE && ((int *) z)[1] == 32);
  REFUSED (mincore (x, 4096, (unsigned char *) &resident), -1, ENOMEM);
  offload ((int *) z, 40);
  y = mremap (y, 2 * SIZE, 4 * SIZE, MREMAP_MAYMOVE);
  MUST (y != MAP_FAILED && ((int *) (y + SIZE))[1] == 42);
  offload ((int *) (y + 3 * SIZE - 4), 50);
  MUST (mremap (y, 4 * SIZE, SIZE, 0) == y);
  offload ((int *) y, 60);
  MUST (munmap (y, SIZE) == 0);
}

static void
segments (void)
{
  int id = shmget (IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
  if (id < 0 && errno == ENOSYS)
    return;
  int *x = shmat (id, NULL, 0);
  MUST (id >= 0 && x != (void *) -1);
  REFUSED (shmat (id, x, 0), (void *) -1, EINVAL);
  REFUSED (shmat (-1, NULL, 0), (void *) -1, EINVAL);
  offload (x, 70);
  int *y = shmat (id, NULL, 0);
  MUST (y != (void *) -1 && y[1] == 72);
  MUST (shmdt (x) == 0);
  REFUSED (shmdt (x), -1, EINVAL);
  offload (y, 80);
  MUST (shmat (id, y, SHM_REMAP) == y && y[1] == 82);
  MUST (shmctl (id, IPC_RMID, NULL) == 0 && shmdt (y) == 0);
}

static void
heap_end (void)
{
  char *start = sbrk (2 * SIZE);
  MUST (start != (void *) -1 && sbrk (0) == start + 2 * SIZE);
  /* On a multiple of int's alignment.  */
  int *x = (int *) (((uintptr_t) start + 15) & -(uintptr_t) 16);
  offload (x, 90);
  if (sbrk (0) != start + 2 * SIZE)
    /* malloc has needed more.  */
    return;
  MUST (sbrk (-(intptr_t) SIZE) == start + 2 * SIZE && brk (start) == 0);
  REFUSED (brk ((void *) -1), -1, ENOMEM);
  MUST (sbrk (2 * SIZE) == start && x[1] == 0);
  offload (x, 100);
  MUST (sbrk (0) != start + 2 * SIZE || brk (start) == 0);
}

int
main (void)
{
  mappings ();
  segments ();
  heap_end ();
  return 0;
}
