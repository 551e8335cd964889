/* Preloaded into a program: a line on standard error for each allocation of a
   page or more and for each that is freed.  See record.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc (size_t);
extern void *__libc_calloc (size_t, size_t);
extern void *__libc_realloc (void *, size_t);
extern void __libc_free (void *);

enum { LEAST = 4096 };

static void
say (const char *format, void *block, size_t size, void *site)
{
  char line[100];
  int length = snprintf (line, sizeof line, format, (uintptr_t) block, size, (uintptr_t) site);
  if (write (STDERR_FILENO, line, length) != length)
    _exit (1);
}

static void *
made (void *block, size_t size, void *site)
{
  if (block && size >= LEAST)
    say ("allocation: a %#lx %#zx %#lx\n", block, size, site);
  return block;
}

void *
malloc (size_t size)
{
  return made (__libc_malloc (size), size, __builtin_return_address (0));
}

void *
calloc (size_t count, size_t size)
{
  return made (__libc_calloc (count, size), count * size, __builtin_return_address (0));
}

void *
realloc (void *old, size_t size)
{
  void *block = __libc_realloc (old, size);
  if (old && block)
    say ("allocation: f %#lx\n", old, 0, NULL);
  return made (block, size, __builtin_return_address (0));
}

void
free (void *block)
{
  if (block)
    say ("allocation: f %#lx\n", block, 0, NULL);
  __libc_free (block);
}
