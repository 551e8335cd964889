// Made by testsuite/tests/bindings.rs from bridge/bridge.h.

#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct plugin_argument {
    pub key: *mut ::std::os::raw::c_char,
    pub value: *mut ::std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct plugin_name_args {
    pub base_name: *mut ::std::os::raw::c_char,
    pub full_name: *const ::std::os::raw::c_char,
    pub argc: ::std::os::raw::c_int,
    pub argv: *mut plugin_argument,
    pub version: *const ::std::os::raw::c_char,
    pub help: *const ::std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct plugin_gcc_version {
    pub basever: *const ::std::os::raw::c_char,
    pub datestamp: *const ::std::os::raw::c_char,
    pub devphase: *const ::std::os::raw::c_char,
    pub revision: *const ::std::os::raw::c_char,
    pub configuration_arguments: *const ::std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bridge_tree {
    _unused: [u8; 0],
}
pub type bridge_location = ::std::os::raw::c_ulonglong;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bridge_hooks {
    pub lowered: ::std::option::Option<unsafe extern "C" fn()>,
    pub optimized: ::std::option::Option<unsafe extern "C" fn()>,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bridge_constructs {
    pub count: usize,
    pub first: bridge_location,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bridge_call {
    pub callee: *const ::std::os::raw::c_char,
    pub file: *const ::std::os::raw::c_char,
    pub line: ::std::os::raw::c_uint,
    pub function: *const ::std::os::raw::c_char,
    pub iterator: *mut ::std::os::raw::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bridge_word {
    pub text: *const ::std::os::raw::c_char,
    pub number: usize,
}
pub const BRIDGE_REQUIRES_UNIFIED_ADDRESS: bridge_requires = 1;
pub const BRIDGE_REQUIRES_UNIFIED_SHARED_MEMORY: bridge_requires = 2;
pub type bridge_requires = ::std::os::raw::c_uint;
unsafe extern "C" {
    pub fn bridge_built_for() -> *const plugin_gcc_version;
}
unsafe extern "C" {
    pub fn bridge_misfit() -> *const ::std::os::raw::c_char;
}
unsafe extern "C" {
    pub fn bridge_register(
        name: *const ::std::os::raw::c_char,
        version: *const ::std::os::raw::c_char,
        help: *const ::std::os::raw::c_char,
        dump: *const ::std::os::raw::c_char,
        hooks: bridge_hooks,
    );
}
unsafe extern "C" {
    pub fn bridge_language() -> *const ::std::os::raw::c_char;
}
unsafe extern "C" {
    pub fn bridge_main_file() -> *const ::std::os::raw::c_char;
}
unsafe extern "C" {
    pub fn bridge_unknown_location() -> bridge_location;
}
unsafe extern "C" {
    pub fn bridge_error(
        where_: bridge_location,
        format: *const ::std::os::raw::c_char,
        a: *const ::std::os::raw::c_char,
        b: *const ::std::os::raw::c_char,
    );
}
unsafe extern "C" {
    pub fn bridge_note(
        where_: bridge_location,
        format: *const ::std::os::raw::c_char,
        a: *const ::std::os::raw::c_char,
        b: *const ::std::os::raw::c_char,
    );
}
unsafe extern "C" {
    pub fn bridge_requires_clauses() -> ::std::os::raw::c_uint;
}
unsafe extern "C" {
    pub fn bridge_take_over_requires(name: *const ::std::os::raw::c_char);
}
unsafe extern "C" {
    pub fn bridge_name_constructs() -> bridge_constructs;
}
unsafe extern "C" {
    pub fn bridge_each_call(
        visit: ::std::option::Option<
            unsafe extern "C" fn(
                context: *mut ::std::os::raw::c_void,
                arg1: *const bridge_call,
            ),
        >,
        context: *mut ::std::os::raw::c_void,
    );
}
unsafe extern "C" {
    pub fn bridge_calls_any(
        test: ::std::option::Option<
            unsafe extern "C" fn(
                context: *mut ::std::os::raw::c_void,
                name: *const ::std::os::raw::c_char,
            ) -> bool,
        >,
        context: *mut ::std::os::raw::c_void,
    ) -> bool;
}
unsafe extern "C" {
    pub fn bridge_map_names(
        call: *const bridge_call,
        hostaddrs: ::std::os::raw::c_uint,
        names: *mut *const ::std::os::raw::c_char,
        capacity: usize,
    ) -> usize;
}
unsafe extern "C" {
    pub fn bridge_constant(words: *const bridge_word, count: usize) -> *mut bridge_tree;
}
unsafe extern "C" {
    pub fn bridge_redirect(
        call: *const bridge_call,
        name: *const ::std::os::raw::c_char,
        first: *mut bridge_tree,
    );
}
unsafe extern "C" {
    pub fn bridge_rename(call: *const bridge_call, name: *const ::std::os::raw::c_char);
}
unsafe extern "C" {
    pub fn bridge_emit_constructor(
        name: *const ::std::os::raw::c_char,
        argument: *mut bridge_tree,
        priority: ::std::os::raw::c_int,
    );
}
unsafe extern "C" {
    pub fn bridge_dump(line: *const ::std::os::raw::c_char);
}
