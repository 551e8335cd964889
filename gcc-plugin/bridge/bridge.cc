/* GCC's side of bridge.h, but for what constructs.cc does.

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

/* The external function that STMT calls by its name, or null.  */

tree
external_callee (gimple *stmt)
{
  tree callee = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
  return callee && DECL_EXTERNAL (callee) && TREE_PUBLIC (callee) ? callee : NULL_TREE;
}

const char *
assembler_name (tree decl)
{
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  return *name == '*' ? name + 1 : name;
}

struct name_test
{
  bool (*test) (void *, const char *);
  void *context;
};

tree
test_callee (gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *info)
{
  const name_test *name = static_cast<const name_test *> (info->info);
  tree callee = external_callee (gsi_stmt (*gsi));
  /* GCC wants operands handled where the walk ends.  */
  *handled = callee && name->test (name->context, assembler_name (callee));
  return *handled ? callee : NULL_TREE;
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

const char *
bridge_misfit ()
{
  if (POINTER_SIZE != 64)
    return "64-bit pointers";
  /* musl-gcc is the same compiler with other specs, which lead it to musl's headers.  */
  for (unsigned i = 1; i < save_decoded_options_count; i++)
    if (save_decoded_options[i].opt_index == OPT_isystem
        && strstr (save_decoded_options[i].arg, "-linux-musl") != nullptr)
      return "glibc";
  return nullptr;
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
  /* All optimisers and all warnings know plain malloc, and so they should.  This
     is the last pass on GIMPLE; waccess3, which warns, is shortly before.  */
  register_pass_info optimized
    = { new pass_optimized (g), "*warn_function_noreturn", 1, PASS_POS_INSERT_AFTER };
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

void
bridge_each_call (void (*visit) (void *, const bridge_call *), void *context)
{
  basic_block bb;
  FOR_EACH_BB_FN (bb, cfun)
    for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
      {
        gimple *stmt = gsi_stmt (gsi);
        tree callee = external_callee (stmt);
        if (callee == NULL_TREE)
          continue;
        expanded_location where = expand_location (gimple_location (stmt));
        if (where.file == NULL)
          {
            where = expand_location (DECL_SOURCE_LOCATION (current_function_decl));
            where.line = 0;
          }
        bridge_call call = {
          assembler_name (callee),
          where.file ? remap_macro_filename (where.file) : "",
          static_cast<unsigned> (where.line),
          lang_hooks.decl_printable_name (source_function (stmt), 1),
          &gsi
        };
        visit (context, &call);
      }
}

bool
bridge_calls_any (bool (*test) (void *, const char *), void *context)
{
  name_test name = { test, context };
  walk_stmt_info info = {};
  info.info = &name;
  return walk_gimple_seq (gimple_body (current_function_decl), test_callee, NULL, &info)
         != NULL;
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
bridge_rename (const bridge_call *call, const char *name)
{
  gcall *stmt
    = as_a<gcall *> (gsi_stmt (*static_cast<gimple_stmt_iterator *> (call->iterator)));
  /* Whoever asks what is called is told the same as before: GCC 11 still warns
     about allocations when it expands their calls.  */
  tree old = gimple_call_fndecl (stmt);
  tree decl = copy_node (old);
  DECL_INITIAL (decl) = NULL_TREE;
  DECL_ARGUMENTS (decl) = NULL_TREE;
  DECL_RESULT (decl) = NULL_TREE;
  DECL_SAVED_TREE (decl) = NULL_TREE;
  SET_DECL_RTL (decl, NULL);
  SET_DECL_ASSEMBLER_NAME (decl, get_identifier (name));
  OFFMEM_KEEP_OPERATOR_NAME (decl, DECL_ASSEMBLER_NAME (old));
  gimple_call_set_fndecl (stmt, decl);
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
