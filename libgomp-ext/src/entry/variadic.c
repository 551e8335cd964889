/* The variadic entry points: stable Rust calls such functions but cannot
   define them.  Each collects its tail here and goes on in variadic.rs.

   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */

#include <stdarg.h>
#include <stddef.h>

/* The tail of one call, as it is handed on: unused elements are 0, which also
   ends a list of launch tags.  */
enum { TAIL_MAX = 24 };

/* variadic.rs's functions are nobody else's: this keeps the linker from
   exporting them.  */
#define INTERNAL extern __attribute__ ((visibility ("hidden")))

struct offmem_tail
{
  int value[TAIL_MAX];
};

/* Waits beyond the tail's room.  Waiting on the host at once orders more than
   was asked for, never less.  */
extern void acc_wait (int async) __attribute__ ((weak));

static void
add_wait (struct offmem_tail *tail, int *length, int reserved, int async)
{
  if (*length + reserved < TAIL_MAX)
    tail->value[(*length)++] = async;
  else if (acc_wait)
    acc_wait (async);
}

/* GOACC_parallel_keyed's tail is a list of tags, each with its arguments
   (gomp-constants.h, GOMP_LAUNCH_*): the code in the highest four bits, an
   operand in the lowest sixteen.  */
enum
{
  LAUNCH_END = 0,
  LAUNCH_DIM = 1,
  LAUNCH_ASYNC = 2,
  LAUNCH_WAIT = 3,
  DIMENSIONS = 3,
  OPERAND_IS_ARGUMENT = 0xffff
};

INTERNAL void offmem_parallel_keyed (const void *site, int flags, void (*fn) (void *),
                                     size_t mapnum, void **hostaddrs, size_t *sizes,
                                     unsigned short *kinds, const struct offmem_tail *);

static void
collect_launch (struct offmem_tail *tail, va_list list)
{
  int length = 0;
  for (;;)
    {
      unsigned tag = va_arg (list, unsigned), code = tag >> 28;
      unsigned operand = tag & 0xffff;
      if (code == LAUNCH_END)
        break;
      int *place = &tail->value[length++];
      *place = (int) tag;
      if (code == LAUNCH_DIM)
        for (int i = 0; i < DIMENSIONS; i++)
          {
            if (operand & 1u << i)
              tail->value[length++] = va_arg (list, int);
          }
      else if (code == LAUNCH_ASYNC && operand == OPERAND_IS_ARGUMENT)
        tail->value[length++] = va_arg (list, int);
      else if (code == LAUNCH_WAIT)
        {
          /* A signed number; below 0 it stands for all queues.  Another
             tag, its argument and the end's 0 must fit behind.  */
          short waits = (short) operand;
          for (short i = 0; i < waits; i++)
            add_wait (tail, &length, 3, va_arg (list, int));
          if (waits > 0)
            *place = (int) ((tag & ~0xffffu) | (unsigned) (&tail->value[length] - place - 1));
        }
    }
}

/* Each function twice: for calls with a site, and for those under libgomp's
   own name.  */

#define COLLECT_LAUNCH(NAME, SITE, ...)                                                  \
  void NAME (__VA_ARGS__ int flags, void (*fn) (void *), size_t mapnum,                  \
             void **hostaddrs, size_t *sizes, unsigned short *kinds, ...)                \
  {                                                                                      \
    struct offmem_tail tail = { { 0 } };                                                 \
    va_list list;                                                                        \
    va_start (list, kinds);                                                              \
    collect_launch (&tail, list);                                                        \
    va_end (list);                                                                       \
    offmem_parallel_keyed (SITE, flags, fn, mapnum, hostaddrs, sizes, kinds, &tail);     \
  }

#define WITH_SITE const void *site,

COLLECT_LAUNCH (offmem_collect_parallel_keyed, site, WITH_SITE)
COLLECT_LAUNCH (offmem_plain_parallel_keyed, NULL, )

/* GOACC_update, GOACC_enter_data, GOACC_exit_data and their older union have
   one shape: a number of waits, and the waits.  */

enum waiting { UPDATE, ENTER_EXIT_DATA, ENTER_DATA, EXIT_DATA };

INTERNAL void offmem_waiting (enum waiting, const void *site, int flags, size_t mapnum,
                              void **hostaddrs, size_t *sizes, unsigned short *kinds,
                              int async, int num_waits, const struct offmem_tail *);

#define COLLECT_WAITING(NAME, WHICH, SITE, ...)                                          \
  void NAME (__VA_ARGS__ int flags, size_t mapnum, void **hostaddrs, size_t *sizes,      \
             unsigned short *kinds, int async, int num_waits, ...)                       \
  {                                                                                      \
    struct offmem_tail tail = { { 0 } };                                                 \
    int length = 0;                                                                      \
    va_list list;                                                                        \
    va_start (list, num_waits);                                                          \
    for (int i = 0; i < num_waits; i++)                                                  \
      add_wait (&tail, &length, 0, va_arg (list, int));                                  \
    va_end (list);                                                                       \
    offmem_waiting (WHICH, SITE, flags, mapnum, hostaddrs, sizes, kinds, async,          \
                    num_waits < 0 ? num_waits : length, &tail);                          \
  }

COLLECT_WAITING (offmem_collect_update, UPDATE, site, WITH_SITE)
COLLECT_WAITING (offmem_collect_enter_exit_data, ENTER_EXIT_DATA, site, WITH_SITE)
COLLECT_WAITING (offmem_collect_enter_data, ENTER_DATA, site, WITH_SITE)
COLLECT_WAITING (offmem_collect_exit_data, EXIT_DATA, site, WITH_SITE)
COLLECT_WAITING (offmem_plain_update, UPDATE, NULL, )
COLLECT_WAITING (offmem_plain_enter_exit_data, ENTER_EXIT_DATA, NULL, )
COLLECT_WAITING (offmem_plain_enter_data, ENTER_DATA, NULL, )
COLLECT_WAITING (offmem_plain_exit_data, EXIT_DATA, NULL, )
