//! Calls of libgomp become calls of the runtime beside it and, in unified
//! mode, so do calls of the allocators.

use offmem_abi::{Entry, Mode, PREFIX};

use crate::bridge::{self, Call};
use crate::site::Site;

/// Whether calls of the function `name` are redirected.
pub(crate) fn concerns(mode: Mode, name: &str) -> bool {
    offmem_abi::entry(name).is_some() || mode == Mode::Unified && offmem_abi::is_allocator(name)
}

/// Redirects every call of the current function that the tables name.
pub(crate) fn current_function(mode: Mode) {
    bridge::each_call(|call| {
        if let Some(entry) = offmem_abi::entry(call.callee()) {
            to_entry(call, entry);
        } else if mode == Mode::Unified && offmem_abi::is_allocator(call.callee()) {
            to_allocator(call);
        }
    });
}

fn to_entry(call: &Call<'_>, entry: &Entry) {
    let name = format!("{PREFIX}{}", entry.name);
    let site = Site::of(call, entry.hostaddrs);
    bridge::dump(&format!("{} {}", site.describe(entry.name, &name), site.variables()));
    call.redirect(&bridge::c_string(&name), site.emit());
}

fn to_allocator(call: &Call<'_>) {
    let name = format!("{PREFIX}{}", call.callee());
    bridge::dump(&Site::of(call, None).describe(call.callee(), &name));
    call.rename(&bridge::c_string(&name));
}
