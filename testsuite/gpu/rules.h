/* What the rules' files share.  */

#ifndef RULES_H
#define RULES_H

#include "driver.h"
#include "probe.h"

/* Larger than what drivers copy through the command buffer.  */
#define SIZE MIB
#define PAGE ((size_t) 4096)

/* A status in words.  */
const char *status (CUresult result);

/* Memory full of VALUE.  */
char *filled (size_t size, int value);
char *registered (size_t size, int value);

/* Memory of which the first half is registered.  */
char *half (void);

/* New memory full of VALUE where P was.  */
void replace (char *p, size_t size, int value);

CUdeviceptr device_memory (size_t size);

/* The byte that the device gets from every place of P, or -1.  */
int device_sees (const char *p, size_t size);

/* Which of the bytes 1 (the first) and 2 (the later) came through.  */
const char *age (int byte);

/* registering.c */
const char *overlap (void);
const char *unknown (void);
const char *unregister_twice (void);
const char *unregister_interior (void);
const char *no_bytes (void);
const char *unmapped (void);
const char *partly_unmapped (void);
const char *same_page (void);
const char *unaligned (void);
const char *read_only (void);
const char *read_only_flag (void);
const char *register_managed (void);
const char *register_allocated (void);
const char *static_data (void);
const char *constant_data (void);
const char *shared_memory (void);
const char *private_file (void);
const char *shared_file (void);

/* copying.c */
const char *unregister_busy (void);
const char *adjacent (void);
const char *straddle_to_device (void);
const char *straddle_from_device (void);
const char *straddle_async (void);
const char *straddle_from_outside (void);
const char *stale_to_device (void);
const char *stale_from_device (void);
const char *stale_discarded (void);
const char *stale_moved (void);
const char *stale_again (void);
const char *stale_unregister (void);
const char *fresh (void);

/* sharing.c */
const char *fork_child (void);
const char *fork_child_memory (void);
const char *fork_parent (void);
const char *pointer_registered (void);
const char *pointer_plain (void);
const char *pointer_after (void);
const char *pointer_behind (void);
const char *pointer_managed (void);
const char *other_context (void);
const char *other_context_unregister (void);
const char *context_destroyed (void);
const char *push_pop (void);
const char *no_context_register (void);
const char *no_context_unregister (void);

/* managing.c */
const char *managed_freed (void);
const char *managed_context (void);
const char *managed_fork (void);
const char *managed_aligned (void);
const char *managed_adjacent (void);
const char *managed_itself (void);
const char *managed_prefetch (void);
const char *managed_prefetch_beyond (void);
const char *managed_prefetch_plain (void);
const char *managed_advice (void);

#endif
