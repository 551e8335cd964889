/* OpenMP and OpenACC constructs, and the names of what they map.

   SPDX-License-Identifier: GPL-3.0-or-later */

#include "gcc-compat.h"
#include "bridge.h"

namespace {

/* A string that is cut where it would overflow.  */

struct text
{
  char buffer[256];
  size_t length;

  void
  add (const char *piece)
  {
    add (piece, strlen (piece));
  }

  void
  add (const char *piece, size_t size)
  {
    size_t room = sizeof buffer - length - 1;
    size_t taken = size < room ? size : room;
    memcpy (buffer + length, piece, taken);
    length += taken;
    buffer[length] = '\0';
  }
};

bool
fortran_p ()
{
  return startswith (lang_hooks.name, "GNU Fortran");
}

/* Whether TYPE is a Fortran array descriptor, whose "data" is the array.  */

bool
descriptor_p (tree type)
{
  tree name = TYPE_IDENTIFIER (type);
  return fortran_p () && name && startswith (IDENTIFIER_POINTER (name), "array");
}

/* Writes the source's name of DECL.  A temporary that the gimplifier made of
   the variable "a" is called "a.3".  */

bool
describe_decl (tree decl, text *out)
{
  if (DECL_NAME (decl) == NULL_TREE)
    return false;
  const char *name = IDENTIFIER_POINTER (DECL_NAME (decl));
  const char *suffix = DECL_IGNORED_P (decl) ? strchr (name, '.') : NULL;
  if (DECL_IGNORED_P (decl)
      && (suffix == NULL || startswith (name, "iftmp.") || startswith (name, "retval.")))
    return false;
  out->add (name, suffix ? suffix - name : strlen (name));
  return true;
}

/* Writes the source's name for what EXPR refers to: "a" for *a or a[3],
   "s->p" for *s->p, "s%p" in Fortran.  False if it has none.  */

bool
describe (tree expr, text *out)
{
  if (expr == NULL_TREE)
    return false;
  if (DECL_P (expr))
    return describe_decl (expr, out);
  switch (TREE_CODE (expr))
    {
    case SSA_NAME:
      {
        gimple *def = SSA_NAME_DEF_STMT (expr);
        if (def && (gimple_assign_single_p (def) || gimple_assign_cast_p (def)))
          return describe (gimple_assign_rhs1 (def), out);
        return false;
      }
    case COMPONENT_REF:
      {
        tree object = TREE_OPERAND (expr, 0), field = TREE_OPERAND (expr, 1);
        if (!describe (object, out))
          return false;
        if (descriptor_p (TREE_TYPE (object)) || DECL_NAME (field) == NULL_TREE)
          return true;
        bool pointer = TREE_CODE (object) == MEM_REF
                       || TREE_CODE (object) == INDIRECT_REF;
        out->add (fortran_p () ? "%" : pointer ? "->" : ".");
        out->add (IDENTIFIER_POINTER (DECL_NAME (field)));
        return true;
      }
    CASE_CONVERT:
    case MEM_REF:
    case INDIRECT_REF:
    case ADDR_EXPR:
    case ARRAY_REF:
    case ARRAY_RANGE_REF:
    case VIEW_CONVERT_EXPR:
    case REALPART_EXPR:
    case IMAGPART_EXPR:
    case POINTER_PLUS_EXPR:
      return describe (TREE_OPERAND (expr, 0), out);
    default:
      return false;
    }
}

/* Whether CLAUSE has an entry in its construct's map array.  */

bool
mapped_p (tree clause)
{
  switch (OMP_CLAUSE_CODE (clause))
    {
    case OMP_CLAUSE_MAP:
      switch (OMP_CLAUSE_MAP_KIND (clause))
        {
        case GOMP_MAP_FIRSTPRIVATE_POINTER:
        case GOMP_MAP_FIRSTPRIVATE_REFERENCE:
          return false;
        default:
          return true;
        }
    case OMP_CLAUSE_TO:
    case OMP_CLAUSE_FROM:
    case OMP_CLAUSE_FIRSTPRIVATE:
    case OMP_CLAUSE_USE_DEVICE_PTR:
    case OMP_CLAUSE_USE_DEVICE_ADDR:
    case OMP_CLAUSE_IS_DEVICE_PTR:
      return true;
    default:
      return OFFMEM_HAS_DEVICE_ADDR_P (OMP_CLAUSE_CODE (clause));
    }
}

/* Names the fields of TARGET's map array that GCC left nameless.  Clauses
   and fields stand in the same order; where their numbers differ, this is a
   construct that we don't know, and it keeps its blanks.  */

void
name_map_fields (gomp_target *target)
{
  tree data = gimple_omp_target_data_arg (target);
  if (data == NULL_TREE || TREE_CODE (TREE_TYPE (TREE_VEC_ELT (data, 0))) != RECORD_TYPE)
    return;

  auto_vec<tree, 16> items;
  for (tree c = gimple_omp_target_clauses (target); c; c = OMP_CLAUSE_CHAIN (c))
    if (mapped_p (c))
      items.safe_push (OMP_CLAUSE_DECL (c));

  tree fields = TYPE_FIELDS (TREE_TYPE (TREE_VEC_ELT (data, 0)));
  if (items.length () != (unsigned) list_length (fields))
    return;
  unsigned i = 0;
  for (tree field = fields; field; field = DECL_CHAIN (field), i++)
    {
      text name = {};
      if (DECL_NAME (field) == NULL_TREE && describe (items[i], &name))
        DECL_NAME (field) = get_identifier (name.buffer);
    }
}

tree
visit_construct (gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *info)
{
  gimple *stmt = gsi_stmt (*gsi);
  bridge_constructs *found = static_cast<bridge_constructs *> (info->info);
  *handled = false;
  if (!is_gimple_omp (stmt))
    return NULL_TREE;
  if (found->count++ == 0)
    found->first = gimple_location (stmt);
  if (gomp_target *target = dyn_cast<gomp_target *> (stmt))
    name_map_fields (target);
  return NULL_TREE;
}

} // namespace

bridge_constructs
bridge_name_constructs ()
{
  bridge_constructs found = { 0, UNKNOWN_LOCATION };
  /* -fopenmp-simd alone makes no constructs in this sense.  */
  if (!flag_openmp && !flag_openacc)
    return found;
  walk_stmt_info info = {};
  info.info = &found;
  walk_gimple_seq (gimple_body (current_function_decl), visit_construct, NULL, &info);
  return found;
}
