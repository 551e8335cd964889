/* C++'s replaceable operators in code compiled for unified memory.  In C,
   because an exception may pass through, and stable Rust ends the program then:
   each tries the pool, and goes on to the operator itself where that has
   nothing, which calls the new-handler and throws.

   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */

#include <stddef.h>

/* allocation.rs's.  */
#define INTERNAL extern __attribute__ ((visibility ("hidden")))

/* A block of the pool, or null.  */
INTERNAL void *offmem_new (size_t size, size_t align);
/* Whether it was a block of the pool, which is free then.  */
INTERNAL int offmem_delete (void *block);
/* The operator of a C++ library that came after this one.  */
INTERNAL void *offmem_operator (const char *name);

/* [expr.new]: what fits any object.  */
enum { DEFAULT_ALIGNMENT = 16 };

#define NEW(SYMBOL, ALIGNMENT, PARAMETERS, ARGUMENTS)                                    \
  extern void *SYMBOL PARAMETERS __attribute__ ((weak));                                 \
  void *offmem_plain##SYMBOL PARAMETERS                                                  \
  {                                                                                      \
    void *block = offmem_new (size, ALIGNMENT);                                          \
    if (__builtin_expect (block != NULL, 1))                                             \
      return block;                                                                      \
    void *(*operator) PARAMETERS = SYMBOL;                                               \
    if (!operator)                                                                       \
      operator = (void *(*) PARAMETERS) offmem_operator (#SYMBOL);                       \
    return operator ARGUMENTS;                                                           \
  }

#define DELETE(SYMBOL, PARAMETERS, ARGUMENTS)                                            \
  extern void SYMBOL PARAMETERS __attribute__ ((weak));                                  \
  void offmem_plain##SYMBOL PARAMETERS                                                   \
  {                                                                                      \
    if (__builtin_expect (offmem_delete (block), 1))                                     \
      return;                                                                            \
    void (*operator) PARAMETERS = SYMBOL;                                                \
    if (!operator)                                                                       \
      operator = (void (*) PARAMETERS) offmem_operator (#SYMBOL);                        \
    operator ARGUMENTS;                                                                  \
  }

#define NEWS(LETTER)                                                                     \
  NEW (_Zn##LETTER##m, DEFAULT_ALIGNMENT, (size_t size), (size))                         \
  NEW (_Zn##LETTER##mRKSt9nothrow_t, DEFAULT_ALIGNMENT, (size_t size, const void *tag),  \
       (size, tag))                                                                      \
  NEW (_Zn##LETTER##mSt11align_val_t, align, (size_t size, size_t align), (size, align)) \
  NEW (_Zn##LETTER##mSt11align_val_tRKSt9nothrow_t, align,                               \
       (size_t size, size_t align, const void *tag), (size, align, tag))

#define DELETES(LETTER)                                                                  \
  DELETE (_Zd##LETTER##Pv, (void *block), (block))                                       \
  DELETE (_Zd##LETTER##Pvm, (void *block, size_t size), (block, size))                   \
  DELETE (_Zd##LETTER##PvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))   \
  DELETE (_Zd##LETTER##PvSt11align_val_t, (void *block, size_t align), (block, align))   \
  DELETE (_Zd##LETTER##PvmSt11align_val_t, (void *block, size_t size, size_t align),     \
          (block, size, align))                                                          \
  DELETE (_Zd##LETTER##PvSt11align_val_tRKSt9nothrow_t,                                  \
          (void *block, size_t align, const void *tag), (block, align, tag))

NEWS (w)
NEWS (a)
DELETES (l)
DELETES (a)

/* Those on which the others rest, for whoever wants to know whose they are.  */
INTERNAL void *const offmem_operators[];
void *const offmem_operators[] = {
  (void *) _Znwm,
  (void *) _Znam,
  (void *) _ZnwmSt11align_val_t,
  (void *) _ZnamSt11align_val_t,
  (void *) _ZdlPv,
  (void *) _ZdaPv,
  (void *) _ZdlPvSt11align_val_t,
  (void *) _ZdaPvSt11align_val_t,
  NULL
};
