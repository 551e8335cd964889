/* The table of rules, and what trying them needs.  */

#define _GNU_SOURCE
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A status in words.  */
const char *
status (CUresult result)
{
  static char digits[16];
  if (result == 0)
    return "accepted";
  snprintf (digits, sizeof digits, "%d", result);
  return digits;
}

/* Memory full of VALUE.  */
char *
filled (size_t size, int value)
{
  return memset (mapped (size), value, size);
}

char *
registered (size_t size, int value)
{
  char *p = filled (size, value);
  MUST (cu.host_register (p, size, 0));
  return p;
}

/* New memory full of VALUE where P was.  */
void
replace (char *p, size_t size, int value)
{
  munmap (p, size);
  if (mmap (p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p)
    exit (2);
  memset (p, value, size);
}

CUdeviceptr
device_memory (size_t size)
{
  CUdeviceptr d;
  MUST (cu.allocate (&d, size));
  return d;
}

/* The byte that the device gets from every place of P, or -1.  */
int
device_sees (const char *p, size_t size)
{
  CUdeviceptr d = device_memory (size);
  char *back = filled (size, 99);
  MUST (cu.to_device (d, p, size));
  MUST (cu.from_device (back, d, size));
  MUST (cu.free (d));
  return memcmp (back, back + 1, size - 1) == 0 ? *back : -1;
}

/* Which of the bytes 1 (the first) and 2 (the later) came through.  */
const char *
age (int byte)
{
  return byte == 1 ? "old" : byte == 2 ? "new" : "neither";
}

const struct rule rules[] = {
  { "overlap", "712", overlap },
  { "unknown", "713", unknown },
  { "unregister-twice", "713", unregister_twice },
  { "unregister-interior", "1", unregister_interior },
  { "unregister-busy", "accepted", unregister_busy },
  { "no-bytes", "1", no_bytes },
  { "unmapped", "1", unmapped },
  { "partly-unmapped", "1", partly_unmapped },
  { "same-page", "accepted", same_page },
  { "unaligned", "accepted", unaligned },
  { "adjacent", "1", adjacent },
  { "straddle", "1", straddle_to_device },
  { "straddle-from-device", "1", straddle_from_device },
  { "straddle-async", "1", straddle_async },
  { "straddle-from-outside", "1", straddle_from_outside },
  { "read-only", "1", read_only },
  { "read-only-flag", "accepted", read_only_flag },
  { "register-managed", "712", register_managed },
  { "register-allocated", "712", register_allocated },
  { "static-data", "accepted", static_data },
  { "constant-data", "1", constant_data },
  { "shared-memory", "accepted", shared_memory },
  { "private-file", NULL, private_file },
  { "shared-file", NULL, shared_file },
  { "stale-to-device", "old", stale_to_device },
  { "stale-from-device", "lost", stale_from_device },
  { "stale-discarded", "old", stale_discarded },
  { "stale-moved", "old", stale_moved },
  { "stale-register-again", "712", stale_again },
  { "stale-unregister", "accepted", stale_unregister },
  { "fresh-after-unregister", "new", fresh },
  { "fork-child", "3", fork_child },
  { "fork-child-memory", "there", fork_child_memory },
  { "fork-parent", "new", fork_parent },
  { "pointer-registered", "host", pointer_registered },
  { "pointer-plain", "error 1", pointer_plain },
  { "pointer-unregistered", "error 1", pointer_after },
  { "pointer-behind", "error 1", pointer_behind },
  { "pointer-managed", "value 1", pointer_managed },
  { "other-context", "host", other_context },
  { "other-context-unregister", "accepted", other_context_unregister },
  { "context-destroyed", "accepted", context_destroyed },
  { "context-push-pop", "restored", push_pop },
  { "no-context-register", "201", no_context_register },
  { "no-context-unregister", "201", no_context_unregister },
  { "managed-freed", "fault", managed_freed },
  { "managed-context", "fault", managed_context },
  { "managed-fork", "fault", managed_fork },
  { "managed-aligned", "aligned", managed_aligned },
  { "managed-adjacent", "1", managed_adjacent },
  { "managed-itself", "accepted", managed_itself },
  { "managed-prefetch", "accepted", managed_prefetch },
  { "managed-prefetch-beyond", "1", managed_prefetch_beyond },
  { "managed-prefetch-plain", "1", managed_prefetch_plain },
  { "managed-advice", "accepted", managed_advice },
  { NULL, NULL, NULL }
};
