/* Random sequences of what programs do with memory that they also offload.

   Each worker, a thread, has slots: memory of some kind, and a shadow of it
   that offloading never touches.  Whatever is done to a slot is done to its
   shadow by plain means, and what a device read or wrote is compared with it
   byte for byte.  */

#ifndef CHURN_H
#define CHURN_H 1

#include <stddef.h>
#include <stdint.h>

enum
{
  SLOTS = 12,
  SLOT_MAX = 4 << 20,           /* Bytes.  */
  TABLE = 8 << 20,              /* Bytes of random content, here and there.  */
  PAGE = 4096,
  STATIC = 3 << 16
};

enum kind { NONE, HEAP, PAGES, SEGMENT, LIBRARY, STATIC_DATA };

struct slot
{
  enum kind kind;
  unsigned char *p;
  size_t n;
  unsigned char *shadow;
  /* What of it is mapped, and what the device has there: where host and device share the
     memory that is the shadow itself, else APART.  */
  size_t mapped, mapped_n;
  unsigned char *there, *apart;
  /* What of it offmem_pin was called for, if N is not 0.  */
  size_t pinned, pinned_n;
  void *library;
};

struct worker
{
  int number;
  uint64_t state;               /* Of the random numbers.  */
  unsigned long operation, operations;
  const char *doing;
  struct slot slots[SLOTS];
  unsigned char *scratch;       /* On the device, SLOT_MAX bytes.  */
  unsigned char *bounce;        /* Never registered, SLOT_MAX bytes.  */
};

/* A part of a slot.  */
struct part { size_t o, n; };

/* Compiled with -foffload-memory=unified, all memory of malloc is shared, or with
   OFFMEM_UNIFIED_POOL, as much as that lets be.  */
#ifndef UNIFIED
#define UNIFIED 0
#endif

/* The worker's own.  */
extern __thread int device;
extern __thread unsigned char *device_table;
extern unsigned char *table;

/* model.c */
extern uint64_t draw (struct worker *);
extern size_t below (struct worker *, size_t);
extern int one_in (struct worker *, size_t);
extern size_t any_size (struct worker *);
extern struct part any_part (struct worker *, size_t);
extern struct part large_part (struct worker *, size_t);
extern void *plain_memory (size_t);
extern void begin_device (int);
extern void settle (struct worker *, struct slot *);
extern int is_shared (const struct slot *);
extern void arrive (struct slot *, struct part);
extern void leave (struct slot *, struct part);
extern void fill (struct worker *, struct slot *, struct part);
extern void same (struct worker *, const void *, const void *, size_t, const char *);
extern void copied (struct worker *, int);
extern void push (struct worker *, struct slot *, struct part);
extern void pull (struct worker *, struct slot *, struct part);
extern void touch (struct worker *, struct slot *);
extern void fail (struct worker *, const char *, ...)
  __attribute__ ((noreturn, format (printf, 2, 3)));

/* construct.c: what maps.  */
extern void map (struct worker *, struct slot *);
extern void unmap (struct worker *, struct slot *);
extern void update (struct worker *, struct slot *);
extern void region (struct worker *, struct slot *);
extern void data (struct worker *, struct slot *);
extern void straddle (struct worker *, struct slot *);
extern void rectangle (struct worker *, struct slot *);
extern void stack (struct worker *);
extern void visit (struct worker *, struct slot *);
extern void pin (struct worker *, struct slot *);

/* heap.c, pages.c, other.c: where memory comes from and goes.  */
extern void make_heap (struct worker *, struct slot *);
extern void change_heap (struct worker *, struct slot *);
extern void end_heap (struct worker *, struct slot *);
extern void passing (struct worker *);
extern void make_pages (struct worker *, struct slot *);
extern void change_pages (struct worker *, struct slot *);
extern void end_pages (struct worker *, struct slot *);
extern void make_segment (struct worker *, struct slot *);
extern void change_segment (struct worker *, struct slot *);
extern void end_segment (struct worker *, struct slot *);
extern void begin_libraries (const char *);
extern void make_library (struct worker *, struct slot *);
extern void change_library (struct worker *, struct slot *);
extern void end_library (struct worker *, struct slot *);
extern void make_static (struct worker *, struct slot *);
extern void child (struct worker *);

/* common.c: memory that all threads copy from.  */
extern void begin_common (void);
extern void common (struct worker *);

#endif /* CHURN_H */
