//! The exported functions. Each shell reads its arguments, calls the module
//! that does the work, and stores the results.

#![allow(non_snake_case, reason = "the names are those of the CUDA driver API")]

use crate::caller;
use crate::driver;
use crate::message::say;
use crate::option::{Options, Trace};
use crate::status::{Outcome, Status};
use std::ffi::{c_int, c_void};
use std::fmt::Arguments;

/// Defines exported functions, whose bodies are an [`Outcome`], and `TABLE`
/// with their names and addresses.
macro_rules! functions {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$about])*
            #[unsafe(no_mangle)]
            extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
                $crate::api::call(
                    stringify!($name),
                    format_args!(
                        concat!($(" ", stringify!($argument), "={:#x?}"),*),
                        $($argument),*
                    ),
                    || $body,
                )
            }
        )*

        /// Names and addresses of the functions above.
        pub(super) const TABLE: &[(&str, *const std::ffi::c_void)] =
            &[$((stringify!($name), $name as *const std::ffi::c_void)),*];
    };
}

mod context;
mod device;
mod host;
mod managed;
mod memory;
mod module;
mod pointer;
mod stream;
mod transfer;

const TABLES: [&[(&str, *const c_void)]; 8] = [
    context::TABLE,
    device::TABLE,
    host::TABLE,
    managed::TABLE,
    memory::TABLE,
    module::TABLE,
    stream::TABLE,
    transfer::TABLE,
];

/// The address of an exported function.
fn exact(name: &str) -> Option<*const c_void> {
    TABLES.iter().flat_map(|table| table.iter()).find(|row| row.0 == name).map(|row| row.1)
}

/// Functions whose second version has other arguments, and the version of CUDA
/// that brought it.
const SECOND: [(&str, c_int); 2] = [("cuMemPrefetchAsync", 12020), ("cuMemAdvise", 12020)];

/// The address of a function in its newest version that a program written for
/// a version of CUDA expects.
fn find(name: &str, version: c_int) -> Option<*const c_void> {
    if SECOND.iter().any(|(second, since)| *second == name && version < *since) {
        return exact(name);
    }
    exact(&format!("{name}_v2")).or_else(|| exact(name))
}

/// Whether the options name only functions that exist.
fn check(options: &Options) -> Result<(), String> {
    match options
        .failures
        .functions()
        .find(|name| find(name.trim_end_matches("_v2"), c_int::MAX).is_none())
    {
        Some(name) => Err(format!("SOFTCUDA_FAIL: there is no function {name}")),
        None => Ok(()),
    }
}

/// What every function does before and after its work.
fn call(name: &str, arguments: Arguments, body: impl FnOnce() -> Outcome) -> c_int {
    let machine = driver::driver().map(|driver| &driver.machine).ok();
    let outcome = match machine {
        _ if !driver::calls_allowed() => Err(Status::NOT_PERMITTED),
        Some(machine) => machine.options.failures.call(name).and_then(|()| body()),
        None => body(),
    };
    let status = outcome.err().unwrap_or(Status::SUCCESS);
    let trace = machine.map_or(Trace::Off, |machine| machine.options.trace);
    if trace != Trace::Off {
        let text = status.name().unwrap_or(c"?").to_string_lossy();
        let caller = (trace == Trace::Callers).then(caller::library).flatten();
        let by = caller.map(|library| format!(" by {library}")).unwrap_or_default();
        say(format_args!("{name}{arguments} -> {text}{by}"));
    }
    status.0
}

#[cfg(test)]
mod names;
#[cfg(test)]
mod tests;
