/* GCC's side of bridge.h.

   SPDX-License-Identifier: GPL-3.0-or-later */

#include "gcc-compat.h"
#include "bridge.h"

namespace {

bridge_hooks hooks;

const pass_data lowered_data = {
  GIMPLE_PASS, "*offmem_lowered", OPTGROUP_OMP, TV_NONE, 0, 0, 0, 0, 0
};

const pass_data optimized_data = {
  GIMPLE_PASS, "offmem", OPTGROUP_OMP, TV_NONE, PROP_cfg, 0, 0, 0, 0
};

class pass_lowered : public gimple_opt_pass
{
public:
  pass_lowered (gcc::context *ctxt) : gimple_opt_pass (lowered_data, ctxt) {}

  bool
  gate (function *) final override
  {
    return flag_openmp || flag_openacc;
  }

  unsigned int
  execute (function *) final override
  {
    hooks.lowered ();
    return 0;
  }
};

class pass_optimized : public gimple_opt_pass
{
public:
  pass_optimized (gcc::context *ctxt) : gimple_opt_pass (optimized_data, ctxt) {}

  unsigned int
  execute (function *) final override
  {
    hooks.optimized ();
    return 0;
  }
};

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
        if (def && gimple_assign_single_p (def))
          return describe (gimple_assign_rhs1 (def), out);
        if (def && gimple_assign_cast_p (def))
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

/* The function whose source STMT comes from.  */

tree
source_function (gimple *stmt)
{
  for (tree block = gimple_block (stmt); block && TREE_CODE (block) == BLOCK;
       block = BLOCK_SUPERCONTEXT (block))
    if (inlined_function_outer_scope_p (block))
      {
        tree origin = block_ultimate_origin (block);
        if (origin && TREE_CODE (origin) == FUNCTION_DECL)
          return origin;
      }
  return current_function_decl;
}

/* A declaration of the external function NAME.  build_fn_decl alone would
   let the front end mangle it.  */

tree
external_function (const char *name, tree type)
{
  tree decl = build_fn_decl (name, type);
  SET_DECL_ASSEMBLER_NAME (decl, get_identifier (name));
  return decl;
}

} // namespace

const plugin_gcc_version *
bridge_built_for ()
{
  return &gcc_version;
}

void
bridge_register (const char *name, const char *version, const char *help,
                 const char *dump, bridge_hooks with)
{
  hooks = with;
  plugin_info info = { version, help };
  register_callback (name, PLUGIN_INFO, NULL, &info);

  register_pass_info lowered
    = { new pass_lowered (g), "omplower", 1, PASS_POS_INSERT_AFTER };
  register_callback (name, PLUGIN_PASS_MANAGER_SETUP, NULL, &lowered);
  /* All optimisers know plain malloc, and so they should.  "resx" is after them. */
  register_pass_info optimized
    = { new pass_optimized (g), "resx", 1, PASS_POS_INSERT_AFTER };
  register_callback (name, PLUGIN_PASS_MANAGER_SETUP, NULL, &optimized);

  /* GCC parses -fdump-tree-* before it loads plugins.  */
  if (dump)
    {
      char *option = concat ("tree-offmem", dump, NULL);
      g->get_dumps ()->dump_switch_p (option);
      free (option);
    }
}

const char *
bridge_language ()
{
  return lang_hooks.name;
}

const char *
bridge_main_file ()
{
  return remap_macro_filename (main_input_filename);
}

bridge_location
bridge_unknown_location ()
{
  return UNKNOWN_LOCATION;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"

void
bridge_error (bridge_location where, const char *format, const char *a, const char *b)
{
  error_at (static_cast<location_t> (where), format, a, b);
}

void
bridge_note (bridge_location where, const char *format, const char *a, const char *b)
{
  inform (static_cast<location_t> (where), format, a, b);
}

#pragma GCC diagnostic pop

unsigned
bridge_requires_clauses ()
{
  unsigned mask = 0;
  if (omp_requires_mask & OMP_REQUIRES_UNIFIED_ADDRESS)
    mask |= BRIDGE_REQUIRES_UNIFIED_ADDRESS;
  if (omp_requires_mask & OMP_REQUIRES_UNIFIED_SHARED_MEMORY)
    mask |= BRIDGE_REQUIRES_UNIFIED_SHARED_MEMORY;
  return mask;
}

bridge_constructs
bridge_name_constructs ()
{
  bridge_constructs found = { 0, UNKNOWN_LOCATION };
  walk_stmt_info info = {};
  info.info = &found;
  walk_gimple_seq (gimple_body (current_function_decl), visit_construct, NULL, &info);
  return found;
}

void
bridge_each_call (void (*visit) (void *, const bridge_call *), void *context)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, cfun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
      {
        gcall *stmt = dyn_cast<gcall *> (gsi_stmt (gsi));
        tree callee = stmt ? gimple_call_fndecl (stmt) : NULL_TREE;
        if (callee == NULL_TREE || !DECL_EXTERNAL (callee) || !TREE_PUBLIC (callee))
          continue;
        expanded_location where = expand_location (gimple_location (stmt));
        if (where.file == NULL)
          {
            where = expand_location (DECL_SOURCE_LOCATION (current_function_decl));
            where.line = 0;
          }
        const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (callee));
        bridge_call call = {
          *name == '*' ? name + 1 : name,
          where.file ? remap_macro_filename (where.file) : "",
          static_cast<unsigned> (where.line),
          lang_hooks.decl_printable_name (source_function (stmt), 1),
          &gsi
        };
        visit (context, &call);
      }
}

size_t
bridge_map_names (const bridge_call *call, unsigned hostaddrs, const char **names,
                  size_t capacity)
{
  gimple *stmt = gsi_stmt (*static_cast<gimple_stmt_iterator *> (call->iterator));
  if (hostaddrs >= gimple_call_num_args (stmt))
    return 0;
  tree array = gimple_call_arg (stmt, hostaddrs);
  if (TREE_CODE (array) != ADDR_EXPR
      || TREE_CODE (TREE_TYPE (TREE_OPERAND (array, 0))) != RECORD_TYPE)
    return 0;
  size_t count = 0;
  for (tree field = TYPE_FIELDS (TREE_TYPE (TREE_OPERAND (array, 0))); field;
       field = DECL_CHAIN (field), count++)
    if (count < capacity)
      names[count] = DECL_NAME (field) ? IDENTIFIER_POINTER (DECL_NAME (field)) : NULL;
  return count;
}

bridge_tree *
bridge_constant (const bridge_word *words, size_t count)
{
  static unsigned number;
  char label[32];
  ASM_GENERATE_INTERNAL_LABEL (label, "LOFFMEM", number++);

  vec<constructor_elt, va_gc> *elements = NULL;
  for (size_t i = 0; i < count; i++)
    {
      tree value = words[i].text
                     ? build_string_literal (strlen (words[i].text) + 1, words[i].text)
                     : build_int_cst (ptr_type_node, words[i].number);
      CONSTRUCTOR_APPEND_ELT (elements, size_int (i), fold_convert (ptr_type_node, value));
    }
  tree type = build_array_type_nelts (ptr_type_node, count);
  tree decl = build_decl (UNKNOWN_LOCATION, VAR_DECL, get_identifier (label), type);
  TREE_STATIC (decl) = 1;
  TREE_READONLY (decl) = 1;
  TREE_ADDRESSABLE (decl) = 1;
  TREE_USED (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  DECL_INITIAL (decl) = build_constructor (type, elements);
  TREE_CONSTANT (DECL_INITIAL (decl)) = 1;
  TREE_STATIC (DECL_INITIAL (decl)) = 1;
  varpool_node::finalize_decl (decl);
  return reinterpret_cast<bridge_tree *> (build1 (ADDR_EXPR, ptr_type_node, decl));
}

void
bridge_redirect (const bridge_call *call, const char *name, bridge_tree *first)
{
  gimple_stmt_iterator *gsi = static_cast<gimple_stmt_iterator *> (call->iterator);
  gcall *old = as_a<gcall *> (gsi_stmt (*gsi));
  tree type = gimple_call_fntype (old);
  type = build_function_type (TREE_TYPE (type), tree_cons (NULL_TREE, ptr_type_node,
                                                           TYPE_ARG_TYPES (type)));
  tree decl = external_function (name, type);
  TREE_NOTHROW (decl) = gimple_call_nothrow_p (old);

  auto_vec<tree, 16> arguments;
  arguments.safe_push (reinterpret_cast<tree> (first));
  for (unsigned i = 0; i < gimple_call_num_args (old); i++)
    arguments.safe_push (gimple_call_arg (old, i));

  gcall *stmt = gimple_build_call_vec (decl, arguments);
  gimple_call_set_lhs (stmt, gimple_call_lhs (old));
  gimple_call_set_nothrow (stmt, gimple_call_nothrow_p (old));
  gimple_set_location (stmt, gimple_location (old));
  gimple_set_block (stmt, gimple_block (old));
  gimple_move_vops (stmt, old);
  gsi_replace (gsi, stmt, true);
}

void
bridge_emit_constructor (const char *name, bridge_tree *argument, int priority)
{
  tree type = build_function_type_list (void_type_node, ptr_type_node, NULL_TREE);
  tree body = NULL_TREE;
  append_to_statement_list (build_call_expr (external_function (name, type), 1,
                                             reinterpret_cast<tree> (argument)),
                            &body);
  /* This leaves no current function behind, and a pass must have one.  */
  function *current = cfun;
  cgraph_build_static_cdtor ('I', body, priority);
  set_cfun (current);
  current_function_decl = current->decl;
}

void
bridge_dump (const char *line)
{
  if (dump_file)
    fprintf (dump_file, "%s\n", line);
}
