/* `omp requires` clauses about unified memory, which this runtime provides and
   libgomp need not.

   SPDX-License-Identifier: GPL-3.0-or-later */

#include "gcc-compat.h"
#include "bridge.h"

namespace {

const int unified_clauses = OMP_REQUIRES_UNIFIED_ADDRESS | OMP_REQUIRES_UNIFIED_SHARED_MEMORY
                            | OFFMEM_REQUIRES_SELF_MAPS;

/* What the callbacks below took out of omp_requires_mask.  */
int hidden;

/* The IPA passes write the mask into the device's image, for libgomp.  Before
   and after them it decides about variants, in which the clauses hold.  */

void
hide (void *, void *)
{
  hidden = omp_requires_mask & unified_clauses;
  omp_requires_mask = static_cast<omp_requires> (omp_requires_mask & ~unified_clauses);
}

void
show (void *, void *)
{
  omp_requires_mask = static_cast<omp_requires> (omp_requires_mask | hidden);
}

#if OFFMEM_REFUSES_REQUIRES

diagnostic_starter_fn next_starter;
diagnostic_finalizer_fn next_finalizer;
bool dropping;

/* Whether DIAGNOSTIC, which is formatted but not printed, refuses a clause
   about unified memory: in C and C++, or in Fortran.  Its arguments have been
   read, so the clause is in the formatted pieces.  */

bool
refuses_unified_p (diagnostic_context *context, diagnostic_info *diagnostic)
{
  const char *format = diagnostic->message.format_spec;
  if (strcmp (format, _("%qs clause on %<requires%> directive not supported yet")) != 0
      && strcmp (format,
                 _("Sorry, %qs clause at %L on REQUIRES directive is not yet supported"))
           != 0)
    return false;
  for (const char *const *piece = context->printer->buffer->cur_chunk_array->args; *piece;
       piece++)
    if (strstr (*piece, "unified_"))
      return true;
  return false;
}

void
start (diagnostic_context *context, diagnostic_info *diagnostic)
{
  dropping = refuses_unified_p (context, diagnostic);
  if (!dropping)
    next_starter (context, diagnostic);
}

/* Nothing has left the printer yet, and nothing but the count and what is done
   for errors afterwards makes this an error.  */

void
finish (diagnostic_context *context, diagnostic_info *diagnostic, diagnostic_t original)
{
  if (!dropping)
    {
      next_finalizer (context, diagnostic, original);
      return;
    }
  dropping = false;
  pp_clear_output_area (context->printer);
  --diagnostic_kind_count (context, diagnostic->kind);
  diagnostic->kind = DK_NOTE;
}

void
stop_refusing ()
{
  next_starter = diagnostic_starter (global_dc);
  next_finalizer = diagnostic_finalizer (global_dc);
  diagnostic_starter (global_dc) = start;
  diagnostic_finalizer (global_dc) = finish;
}

#else

void
stop_refusing ()
{
}

#endif

} // namespace

void
bridge_take_over_requires (const char *name)
{
  register_callback (name, PLUGIN_ALL_IPA_PASSES_START, hide, NULL);
  register_callback (name, PLUGIN_ALL_IPA_PASSES_END, show, NULL);
  stop_refusing ();
}
