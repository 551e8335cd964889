//! GCC, as far as the plugin needs it: `bridge/bridge.h` in Rust's types.
//!
//! Everything here runs on GCC's one thread, from `plugin_init` or a hook.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{self, NonNull};

#[allow(
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    dead_code,
    unreachable_pub,
    clippy::all,
    reason = "generated; bridge.h documents it"
)]
mod sys {
    include!("bindings.rs");
}

pub(crate) use sys::plugin_gcc_version;
pub(crate) use sys::plugin_name_args;

/// A place in the source.
#[derive(Clone, Copy)]
pub(crate) struct Place(Option<sys::bridge_location>);

impl Place {
    /// Nothing in the source is to blame.
    pub(crate) const UNKNOWN: Place = Place(None);

    fn location(self) -> sys::bridge_location {
        // SAFETY: reads a constant.
        self.0.unwrap_or_else(|| unsafe { sys::bridge_unknown_location() })
    }
}

/// The address of a constant in the compiled unit. GCC's garbage collector
/// does not know of it: it is used in the hook that made it.
#[derive(Clone, Copy)]
pub(crate) struct Constant(NonNull<sys::bridge_tree>);

/// A word of a constant.
pub(crate) enum Word<'a> {
    Text(&'a CStr),
    Number(usize),
}

/// A direct call of an external function, while it is visited.
pub(crate) struct Call<'a> {
    raw: &'a sys::bridge_call,
}

/// A string of GCC's; what is not UTF-8 is replaced.
fn text(string: *const c_char) -> String {
    // SAFETY: the bridge returns null-terminated strings.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// The same text as a C string, cut at a null byte.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

pub(crate) fn built_for() -> &'static plugin_gcc_version {
    // SAFETY: the bridge returns the address of a static.
    unsafe { &*sys::bridge_built_for() }
}

/// What the programs compiled here lack of what the runtime needs.
pub(crate) fn misfit() -> Option<String> {
    // SAFETY: called in a hook; a null-terminated constant or null.
    let lack = unsafe { sys::bridge_misfit() };
    (!lack.is_null()).then(|| text(lack))
}

pub(crate) fn language() -> String {
    // SAFETY: lang_hooks is there from the start.
    text(unsafe { sys::bridge_language() })
}

/// Registers the passes; each hook is then called once per function.
pub(crate) fn register(
    args: &plugin_name_args,
    version: &'static CStr,
    help: &'static CStr,
    dump: Option<&CStr>,
    lowered: extern "C" fn(),
    optimized: extern "C" fn(),
) {
    let hooks = sys::bridge_hooks { lowered: Some(lowered), optimized: Some(optimized) };
    // SAFETY: GCC copies what it keeps, but for the two static strings.
    unsafe {
        sys::bridge_register(
            args.base_name,
            version.as_ptr(),
            help.as_ptr(),
            dump.map_or(ptr::null(), CStr::as_ptr),
            hooks,
        );
    }
}

/// Reports an error in GCC's format, with at most two strings.
pub(crate) fn error(place: Place, format: &CStr, strings: &[&str]) {
    diagnose(sys::bridge_error, place, format, strings);
}

/// Adds a note to the last error.
pub(crate) fn note(place: Place, format: &CStr, strings: &[&str]) {
    diagnose(sys::bridge_note, place, format, strings);
}

type Diagnose =
    unsafe extern "C" fn(sys::bridge_location, *const c_char, *const c_char, *const c_char);

fn diagnose(report: Diagnose, place: Place, format: &CStr, strings: &[&str]) {
    let first = c_string(strings.first().unwrap_or(&""));
    let second = c_string(strings.get(1).unwrap_or(&""));
    // SAFETY: both strings live until GCC has printed them.
    unsafe { report(place.location(), format.as_ptr(), first.as_ptr(), second.as_ptr()) }
}

/// The clauses of `omp requires` that speak of memory.
#[derive(Clone, Copy)]
pub(crate) struct Requires {
    pub(crate) unified_address: bool,
    pub(crate) unified_shared_memory: bool,
}

pub(crate) fn requires() -> Requires {
    // SAFETY: reads GCC's variable.
    let mask = unsafe { sys::bridge_requires_clauses() };
    Requires {
        unified_address: mask & sys::BRIDGE_REQUIRES_UNIFIED_ADDRESS != 0,
        unified_shared_memory: mask & sys::BRIDGE_REQUIRES_UNIFIED_SHARED_MEMORY != 0,
    }
}

/// Clauses that ask for unified memory are neither refused nor told to libgomp.
pub(crate) fn take_over_requires(args: &plugin_name_args) {
    // SAFETY: called from plugin_init, where GCC's diagnostics are set up.
    unsafe { sys::bridge_take_over_requires(args.base_name) }
}

/// Names the mapped variables of the current function's constructs, and says
/// where the first construct stands; `None` without one.
pub(crate) fn name_constructs() -> Option<Place> {
    // SAFETY: a hook is running, so there is a current function.
    let found = unsafe { sys::bridge_name_constructs() };
    (found.count > 0).then_some(Place(Some(found.first)))
}

/// The file that is compiled, as on the command line.
pub(crate) fn main_file() -> CString {
    // SAFETY: GCC has opened its input when a hook runs.
    unsafe { CStr::from_ptr(sys::bridge_main_file()) }.to_owned()
}

/// Visits each direct call of an external function in the current function.
pub(crate) fn each_call(mut visit: impl FnMut(&Call<'_>)) {
    extern "C" fn forward(context: *mut c_void, call: *const sys::bridge_call) {
        // SAFETY: `context` is the closure below, and `call` is valid for the visit.
        let (visit, raw) = unsafe { (&mut *context.cast::<&mut dyn FnMut(&Call<'_>)>(), &*call) };
        visit(&Call { raw });
    }
    let mut visit: &mut dyn FnMut(&Call<'_>) = &mut visit;
    // SAFETY: the closure outlives the walk.
    unsafe { sys::bridge_each_call(Some(forward), ptr::from_mut(&mut visit).cast()) }
}

/// Whether the current function, when directives are lowered, directly calls
/// an external function whose assembler name passes `test`.
pub(crate) fn calls_any(mut test: impl FnMut(&str) -> bool) -> bool {
    extern "C" fn forward(context: *mut c_void, name: *const c_char) -> bool {
        // SAFETY: `context` is the closure below, and `name` a string of GCC's.
        let (test, name) =
            unsafe { (&mut *context.cast::<&mut dyn FnMut(&str) -> bool>(), CStr::from_ptr(name)) };
        name.to_str().is_ok_and(test)
    }
    let mut test: &mut dyn FnMut(&str) -> bool = &mut test;
    // SAFETY: the closure outlives the walk, and a hook is running.
    unsafe { sys::bridge_calls_any(Some(forward), ptr::from_mut(&mut test).cast()) }
}

impl Call<'_> {
    /// Assembler name of the callee; empty if it is not UTF-8.
    pub(crate) fn callee(&self) -> &str {
        // SAFETY: a string of GCC's, for the visit.
        unsafe { CStr::from_ptr(self.raw.callee) }.to_str().unwrap_or("")
    }

    pub(crate) fn file(&self) -> &CStr {
        // SAFETY: as above.
        unsafe { CStr::from_ptr(self.raw.file) }
    }

    pub(crate) fn line(&self) -> usize {
        self.raw.line as usize
    }

    pub(crate) fn function(&self) -> String {
        text(self.raw.function)
    }

    /// Names of the mapped variables, one per entry of the map array, which
    /// is the argument number `hostaddrs`.
    pub(crate) fn map_names(&self, hostaddrs: u32) -> Vec<Option<CString>> {
        let mut names = vec![ptr::null(); 256];
        // SAFETY: the bridge writes at most `names.len ()` pointers.
        let count =
            unsafe { sys::bridge_map_names(self.raw, hostaddrs, names.as_mut_ptr(), names.len()) };
        names.truncate(count);
        // SAFETY: GCC's identifiers are null-terminated, and live as long as it.
        let owned = |name: &*const c_char| unsafe { CStr::from_ptr(*name) }.to_owned();
        names.iter().map(|name| (!name.is_null()).then(|| owned(name))).collect()
    }

    /// Makes it a call of `name`, which has the same type.
    pub(crate) fn rename(&self, name: &CStr) {
        // SAFETY: the call is being visited.
        unsafe { sys::bridge_rename(self.raw, name.as_ptr()) }
    }

    /// Makes it a call of `name`, with `first` before its arguments.
    pub(crate) fn redirect(&self, name: &CStr, first: Constant) {
        // SAFETY: `first` was made in this hook.
        unsafe { sys::bridge_redirect(self.raw, name.as_ptr(), first.0.as_ptr()) }
    }
}

/// A new read-only constant.
pub(crate) fn constant(words: &[Word<'_>]) -> Constant {
    let raw: Vec<_> = words
        .iter()
        .map(|word| match word {
            Word::Text(text) => sys::bridge_word { text: text.as_ptr(), number: 0 },
            Word::Number(number) => sys::bridge_word { text: ptr::null(), number: *number },
        })
        .collect();
    // SAFETY: `raw` has `raw.len ()` words, whose strings GCC copies.
    let tree = unsafe { sys::bridge_constant(raw.as_ptr(), raw.len()) };
    Constant(NonNull::new(tree).expect("GCC's build1 returns a tree"))
}

/// A constructor that calls `name (argument)`.
pub(crate) fn emit_constructor(name: &CStr, argument: Constant, priority: i32) {
    // SAFETY: `argument` was made in this hook.
    unsafe { sys::bridge_emit_constructor(name.as_ptr(), argument.0.as_ptr(), priority) }
}

/// Writes a line to `-fdump-tree-offmem`'s file.
pub(crate) fn dump(line: &str) {
    let line = c_string(line);
    // SAFETY: GCC prints the string and keeps nothing of it.
    unsafe { sys::bridge_dump(line.as_ptr()) }
}
