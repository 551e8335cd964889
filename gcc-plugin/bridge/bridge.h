/* The few GCC operations that the plugin needs, as a C interface: what
   bindgen reads, and all that Rust knows of GCC's internals.

   Every function is called on GCC's one thread, from plugin_init or from one
   of the two hooks.  No tree outlives the hook that made it, so the plugin
   owns no garbage-collection roots.

   SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OFFMEM_BRIDGE_H
#define OFFMEM_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GCC's plugin interface, for a reader that cannot read gcc-plugin.h (C++).
   The layout has been the same since plugins exist.  */
#ifndef GCC_PLUGIN_H

struct plugin_argument
{
  char *key;
  char *value;
};

struct plugin_name_args
{
  char *base_name;
  const char *full_name;
  int argc;
  struct plugin_argument *argv;
  const char *version;
  const char *help;
};

struct plugin_gcc_version
{
  const char *basever;
  const char *datestamp;
  const char *devphase;
  const char *revision;
  const char *configuration_arguments;
};

#endif

/* A tree of GCC's.  */
typedef struct bridge_tree bridge_tree;

/* Where something stands in the source: GCC's location_t.  */
typedef unsigned long long bridge_location;

/* What the plugin does at its two places in GCC's pipeline.  Each is called
   with a current function.  */
struct bridge_hooks
{
  /* After directives are lowered, before they are expanded; never in lto1.  */
  void (*lowered) (void);
  /* After the optimisers, when the device's code has been streamed out.  */
  void (*optimized) (void);
};

/* The OpenMP and OpenACC statements of a function; none without -fopenmp or
   -fopenacc.  */
struct bridge_constructs
{
  size_t count;
  bridge_location first;
};

/* A direct call of an external function.  Valid during the visit only.  */
struct bridge_call
{
  const char *callee;   /* assembler name */
  const char *file;     /* as -fmacro-prefix-map= maps it; "" if unknown */
  unsigned line;        /* 0 if unknown */
  const char *function; /* the source's function, also where it was inlined */
  void *iterator;
};

/* A pointer-sized part of a constant: a string, or where TEXT is null a number.  */
struct bridge_word
{
  const char *text;
  size_t number;
};

enum bridge_requires
{
  BRIDGE_REQUIRES_UNIFIED_ADDRESS = 1,
  BRIDGE_REQUIRES_UNIFIED_SHARED_MEMORY = 2
};

/* The GCC whose headers this plugin was compiled with.  */
const struct plugin_gcc_version *bridge_built_for (void);

/* What the programs that this compilation is for lack of what the runtime needs, or
   null: it is built for 64 bits and glibc.  From the first hook on.  */
const char *bridge_misfit (void);

/* Registers both passes, HELP and VERSION for the plugin NAME.  DUMP is what
   followed -fdump-tree-offmem on the command line, or null without it.  */
void bridge_register (const char *name, const char *version, const char *help,
                      const char *dump, struct bridge_hooks hooks);

/* The front end: "GNU C17", "GNU C++17", "GNU Fortran2018", "GNU GIMPLE" …  */
const char *bridge_language (void);

/* The file that is compiled, as -fmacro-prefix-map= maps it.  */
const char *bridge_main_file (void);

/* Where no place in the source is to blame.  */
bridge_location bridge_unknown_location (void);

/* GCC's error and note.  FORMAT is GCC's own (%qs quotes) with at most two
   strings.  */
void bridge_error (bridge_location where, const char *format, const char *a,
                   const char *b);
void bridge_note (bridge_location where, const char *format, const char *a,
                  const char *b);

/* The `omp requires` clauses seen so far: a mask of enum bridge_requires.  */
unsigned bridge_requires_clauses (void);

/* From now on, clauses of `omp requires` that ask for unified memory are
   neither refused by the front end (GCC 11 and 12 do) nor told to libgomp,
   which would leave out the devices that it thinks cannot do it.  NAME is the
   plugin's.  */
void bridge_take_over_requires (const char *name);

/* Finds the current function's constructs, and gives each nameless field of
   their map arrays the name of the list item that it stands for: GCC keeps
   names of plain variables only, and the field is what survives until
   optimized, through LTO's streams too.  */
struct bridge_constructs bridge_name_constructs (void);

/* Calls VISIT with CONTEXT for each direct call of an external function in
   the current function.  */
void bridge_each_call (void (*visit) (void *context, const struct bridge_call *),
                       void *context);

/* Whether the current function, when directives are lowered, has a direct
   call of an external function whose assembler name passes TEST, which gets
   CONTEXT too.  */
bool bridge_calls_any (bool (*test) (void *context, const char *name), void *context);

/* The mapped variables of CALL, whose argument number HOSTADDRS (from 0) is
   the map array: at most CAPACITY names go to NAMES, null where there is
   none.  Returns how many entries the array has, 0 if that is not known.  */
size_t bridge_map_names (const struct bridge_call *call, unsigned hostaddrs,
                         const char **names, size_t capacity);

/* The address of a new read-only constant made of COUNT words.  */
bridge_tree *bridge_constant (const struct bridge_word *words, size_t count);

/* Makes CALL one of the function NAME, with FIRST before its arguments.  */
void bridge_redirect (const struct bridge_call *call, const char *name,
                      bridge_tree *first);

/* Makes CALL one of the external function NAME, which is like its callee in all
   but the assembler name.  */
void bridge_rename (const struct bridge_call *call, const char *name);

/* Emits a constructor of this PRIORITY that calls NAME (ARGUMENT).  */
void bridge_emit_constructor (const char *name, bridge_tree *argument, int priority);

/* Writes a line to the pass's dump; nothing without -fdump-tree-offmem.  */
void bridge_dump (const char *line);

#ifdef __cplusplus
}
#endif

#endif
