//! GCC plugin for `-foffload-memory=pinned|unified|none`.
//!
//! One unit gets a constructor that tells the runtime its mode (`unit`), and
//! its calls into libgomp get our entry points (`redirect`), each with the
//! place it stands at (`site`). In unified mode its calls of `malloc`, `new`
//! and their like are redirected too. All that touches GCC goes through `bridge`.

mod argument;
mod bridge;
mod language;
mod redirect;
mod site;
mod unit;
mod version;

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use offmem_abi::Mode;

use crate::argument::Arguments;
use crate::bridge::{Place, plugin_gcc_version, plugin_name_args};

const VERSION: &CStr = c"offmem 0.1.0";
const HELP: &CStr = c"-foffload-memory=none|pinned|unified: memory that takes part in offloading \
is page-locked or unified (-fplugin-arg-NAME-memory= without the specs file); \
-fdump-tree-offmem: the redirected calls (-fplugin-arg-NAME-dump=)";

/// The mode of this compilation; set once, before the first hook runs.
static MODE: OnceLock<Mode> = OnceLock::new();

/// GCC loads no plugin without it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "GCC's name")]
pub static plugin_is_GPL_compatible: c_int = 0;

/// GCC's entry: 0 if the plugin is ready, else an error was reported.
///
/// # Safety
/// GCC calls it, once, with valid pointers (gcc-plugin.h).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plugin_init(
    args: *const plugin_name_args,
    gcc: *const plugin_gcc_version,
) -> c_int {
    // SAFETY: by the contract above, for the length of this call.
    let (args, running) = unsafe { (&*args, version::Version::new(&*gcc)) };
    // Before anything else: nothing of GCC's may be touched on a mismatch.
    let built_for = version::Version::new(bridge::built_for());
    if let Some(difference) = version::difference(&built_for, &running) {
        bridge::error(Place::UNKNOWN, c"%s", &[&difference.summary]);
        for note in &difference.notes {
            bridge::note(Place::UNKNOWN, c"%s", &[note]);
        }
        return 1;
    }
    let arguments = match Arguments::parse(&argument::pairs(args)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            // The error alone ends the compilation, as one of GCC's own options does.
            problem.report();
            return 0;
        }
    };
    if arguments.mode == Mode::None || !language::supported(&bridge::language()) {
        return 0;
    }
    MODE.get_or_init(|| arguments.mode);
    bridge::register(args, VERSION, HELP, arguments.dump.as_deref(), lowered, optimized);
    if arguments.mode == Mode::Unified {
        bridge::take_over_requires(args);
    }
    0
}

fn mode() -> Mode {
    MODE.get().copied().unwrap_or(Mode::None)
}

/// GCC's directives of one function are lowered: the last place where their
/// clauses can be read.
extern "C" fn lowered() {
    if let Some(first) = bridge::name_constructs() {
        unit::announce(mode(), first);
    } else if !unit::announced() && bridge::calls_any(|name| redirect::concerns(mode(), name)) {
        // A unit that only copies, or allocates what others offload.
        unit::announce(mode(), Place::UNKNOWN);
    }
}

/// One function is optimised, and the device's code has been streamed out.
extern "C" fn optimized() {
    redirect::current_function(mode());
}
