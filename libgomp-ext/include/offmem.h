/* What a program can ask of, and tell, the runtime of -foffload-memory=pinned.

   Copyright: the offmem authors.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   Programs linked with the option have these functions.  One that is to run
   without it too says, behind the #include,

     #pragma weak offmem_pin

   for each function that it calls, and asks before each call, which finds the
   runtime also where "offmem run" brought it in:

     if (offmem_pin)
       offmem_pin (buffer, size);

   Every function may be called by any thread at any time, except in a signal
   handler.  None changes errno.  In a child of fork nothing is page-locked.  */

#ifndef OFFMEM_H
#define OFFMEM_H 1

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if all of the N bytes at P are page-locked for the device now, by this
   runtime or by somebody else that it knows of; 0 if one is not, or if N is 0.
   Memory that is only locked (mlock, mlockall) is not: the driver does not
   know of it.  The answer may be outdated when it arrives, unless offmem_pin
   was called for the memory.  */
extern int offmem_is_pinned (const void *p, size_t n);

/* Page-locks the N bytes at P for the device now, without waiting for copies
   that would pay for it.  More than that may be page-locked: whole pages, or
   all of a heap block.  They stay so until offmem_unpin, or until the memory
   goes away (free, munmap, ...), whichever comes first.  Never evicted.  Data
   of a library that was loaded by dlopen is let go by dlclose of any library.

   Returns 0, also if they are page-locked already, or

     EINVAL   P is null, N is 0, P + N is no address; or it is memory that is
              never page-locked: a stack, less than OFFMEM_MIN_SIZE, or what
              another allocator could take back unseen
     EFAULT   not all of it is memory that may be written
     ENOTSUP  there is no driver to page-lock it for, or OFFMEM=off
     ENOMEM   above OFFMEM_LIMIT, or the driver refused
     EBUSY    part of it is being page-locked or released by another thread

   The memory remains usable as it was in every case.  */
extern int offmem_pin (void *p, size_t n);

/* Takes back offmem_pin of the same N bytes at P.  They may be page-locked
   again when they are copied.

   Returns 0, or

     EINVAL   as above, or offmem_pin was not called for it
     ENOTSUP  as above
     EBUSY    a copy from or to it may be under way  */
extern int offmem_unpin (void *p, size_t n);

/* Numbers of this process since its start.  Later versions add fields at the
   end.  */
struct offmem_stats
{
  uint64_t registered_bytes;            /* Page-locked by the runtime now.  */
  uint64_t peak_registered_bytes;       /* The most at a time.  */
  uint64_t limit_bytes;                 /* The most that may be at a time.  */
  uint64_t registrations;               /* Successful calls of the driver...  */
  uint64_t unregistrations;             /* ...and their reversals, of which...  */
  uint64_t evictions;                   /* ...for want of room.  */
  uint64_t failures;                    /* Registrations that were refused.  */
  uint64_t adoptions;                   /* Ranges page-locked by others.  */
  uint64_t bytes_to_device_pinned;      /* Copied from page-locked memory...  */
  uint64_t bytes_to_device_pageable;    /* ...and from other memory.  */
  uint64_t bytes_from_device_pinned;    /* Copied to page-locked memory...  */
  uint64_t bytes_from_device_pageable;  /* ...and to other memory.  */
  uint64_t register_ns;                 /* Nanoseconds spent in registering...  */
  uint64_t unregister_ns;               /* ...and in its reversal.  */
};

/* Writes them to *S, where SIZE is sizeof *S as the caller knows it.  A runtime
   with fewer fields sets the others to 0, one with more leaves them out.
   Each number is right by itself; they are not read at one instant.  Copied
   bytes are counted from the first call on, or from the start of the process
   where OFFMEM_REPORT is set.

   Returns 0, or EINVAL if S is null or SIZE is less than one field.  */
extern int offmem_get_stats (struct offmem_stats *s, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* OFFMEM_H */
