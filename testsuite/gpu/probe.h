/* What the parts of the probe share.  */

#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>

/* A rule that softcuda assumes.  */
struct rule
{
  const char *name;
  /* A CUresult in digits, "accepted" for 0, or a word of the rule's own; a
     null pointer where softcuda has no opinion.  */
  const char *expected;
  /* In a process of its own, with a fresh context current.  */
  const char *(*find) (void);
};

/* Ends with a rule without name.  */
extern const struct rule rules[];

/* What registering and unregistering costs.  MOST: bytes, at most.  */
void costs (size_t most);

/* What copies achieve from each kind of memory.  */
void copies (size_t most);

/* A JSON object on a line of the file that $GPU_KIT_RESULTS names, if any.  */
void result (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* Seconds of a clock that only advances.  */
double seconds (void);

/* The next of the sizes 1 MiB to MOST bytes, or 0 at their end or where the one
   after SIZE, which began at START, would take longer than is left of LIMIT
   seconds from BEGIN.  */
size_t next_size (size_t size, size_t most, double begin, double start, double limit);

/* Fresh private memory, untouched.  */
void *mapped (size_t size);

/* Bytes that may be used without harm: a quarter of what is there.  */
size_t room (void);

#define MIB ((size_t) 1 << 20)

#endif
