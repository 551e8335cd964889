//! The program's units, and the one mode that they make together.

use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CString;
use std::sync::OnceLock;

use offmem_abi::{Mode, Unit, VERSION};

use crate::environment::{self, Activation, activation};
use crate::message::say;
use crate::strategy;

/// A file of each mode, for the message about a mixed program. Copies, since
/// the library that a unit belongs to may be closed.
static PINNED: OnceLock<CString> = OnceLock::new();
static UNIFIED: OnceLock<CString> = OnceLock::new();

/// What each unit's constructor calls: the unit wants its mode. Any number of
/// units may call it, from any thread that loads a library.
///
/// # Safety
/// `unit` is null or points to a record that a plugin of ours emitted.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn offmem_enable(unit: *const Unit) {
    // SAFETY: by the contract above.
    let Some(unit) = (unsafe { unit.as_ref() }) else {
        return;
    };
    if activation() == Activation::Off {
        return;
    }
    // SAFETY: the first three words are the same in every version.
    let file = unsafe { CStr::from_ptr(unit.file) };
    match Mode::from_number(unit.mode) {
        Some(mode) if unit.version == VERSION => join(mode, file),
        _ => say(format_args!(
            "'{}' was compiled by another version of offmem; its memory is left as it is",
            file.to_string_lossy()
        )),
    }
}

/// The same for objects compiled by GCC's own development branches.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn GOMP_enable_pinned_mode() {
    if activation() != Activation::Off {
        join(Mode::Pinned, c"an object of GCC's own");
    }
}

/// For a program no unit of which was compiled with the option (`offmem run`).
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start() {
        // What the program starts inherits the environment: a shell or a
        // launcher, which never offloads, keeps its memory as it is.
        if uses_libgomp() {
            join_environment();
        } else if environment::memory() != Mode::None {
            LATE.store(true, Ordering::Relaxed);
        }
    }
    start
};

/// Whether libgomp may come later, by dlopen(3), to a process that is to have
/// the environment's mode.
static LATE: AtomicBool = AtomicBool::new(false);

/// At a call of libgomp's: whether this process joins only now.
#[inline]
pub(crate) fn joins_late() -> bool {
    let late = LATE.load(Ordering::Relaxed) && LATE.swap(false, Ordering::Relaxed);
    if late {
        join_environment();
    }
    late
}

/// Gives the process the mode of `OFFMEM_MEMORY`, if that is set. Any thread
/// may call it any number of times.
fn join_environment() {
    // Asked first: it is unset in every program compiled with the option.
    let mode = environment::memory();
    if mode != Mode::None && activation() != Activation::Off {
        join(mode, c"OFFMEM_MEMORY");
    }
}

/// Whether libgomp is in the process. The loader maps all that a program
/// needs before it runs the first constructor.
fn uses_libgomp() -> bool {
    // SAFETY: takes a string, and loads nothing.
    unsafe {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        let library = libc::dlopen(c"libgomp.so.1".as_ptr(), flags);
        !library.is_null() && libc::dlclose(library) == 0
    }
}

/// One unit of the program has this mode. `unified` wins over `pinned`, which
/// it includes.
fn join(mode: Mode, file: &CStr) {
    let files = match mode {
        Mode::None => return,
        Mode::Pinned => &PINNED,
        Mode::Unified => &UNIFIED,
    };
    if files.set(file.to_owned()).is_err() {
        return;
    }
    if let (Some(pinned), Some(unified)) = (PINNED.get(), UNIFIED.get()) {
        say(format_args!(
            "'{}' asks for -foffload-memory=pinned and '{}' for -foffload-memory=unified; \
             unified is used for both",
            pinned.to_string_lossy(),
            unified.to_string_lossy()
        ));
    }
    strategy::start(mode);
}
