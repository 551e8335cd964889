/* GCC's headers, and every difference between GCC 11 and 16 that the bridge
   meets.  The rest of the bridge has no version test.

   SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OFFMEM_GCC_COMPAT_H
#define OFFMEM_GCC_COMPAT_H

#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "context.h"
#include "cgraph.h"
#include "stringpool.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimple-ssa.h"
#include "ssa.h"
#include "tree-iterator.h"
#include "fold-const.h"
#include "langhooks.h"
#include "opts.h"
#include "toplev.h"
#include "diagnostic-core.h"
#include "dumpfile.h"
#include "file-prefix-map.h"
#include "gomp-constants.h"
#include "omp-general.h"
#include "varasm.h"
#include "output.h"

#if GCCPLUGIN_VERSION_MAJOR < 11
#error "offmem needs GCC 11 or later"
#endif

/* To warn, GCC 11 demangles the names of operators new and delete when it expands
   their calls, and trusts that it can.  There a renamed one gets its name back once
   the symbol to call is made.  */
#if GCCPLUGIN_VERSION_MAJOR >= 12
#define OFFMEM_KEEP_OPERATOR_NAME(DECL, NAME) ((void) (DECL), (void) (NAME))
#else
#define OFFMEM_KEEP_OPERATOR_NAME(DECL, NAME) \
  do \
    if (DECL_IS_OPERATOR_NEW_P (DECL) || DECL_IS_OPERATOR_DELETE_P (DECL)) \
      { \
        make_decl_rtl (DECL); \
        SET_DECL_ASSEMBLER_NAME (DECL, NAME); \
      } \
  while (0)
#endif

/* GCC 12 brought OpenMP 5.1's has_device_addr, and startswith.  */
#if GCCPLUGIN_VERSION_MAJOR >= 12
#define OFFMEM_HAS_DEVICE_ADDR_P(CODE) ((CODE) == OMP_CLAUSE_HAS_DEVICE_ADDR)
#else
#define OFFMEM_HAS_DEVICE_ADDR_P(CODE) false
static inline bool
startswith (const char *text, const char *prefix)
{
  return strncmp (text, prefix, strlen (prefix)) == 0;
}
#endif

/* GCC 13 accepts `requires unified_shared_memory`; 11 and 12 say "sorry".  */
#if GCCPLUGIN_VERSION_MAJOR >= 13
#define OFFMEM_REFUSES_REQUIRES 0
#else
#define OFFMEM_REFUSES_REQUIRES 1
#include "diagnostic.h"
#include "intl.h"
#endif

/* GCC 15 brought OpenMP 6.0's self_maps.  */
#if GCCPLUGIN_VERSION_MAJOR >= 15
#define OFFMEM_REQUIRES_SELF_MAPS OMP_REQUIRES_SELF_MAPS
#else
#define OFFMEM_REQUIRES_SELF_MAPS 0
#endif

#endif
