//! Structured data regions that are open in this thread. The call that ends
//! one has no arguments, and copies back what the call that began it named.
//!
//! libgomp runs a task on top of the one that waits for it, so regions end in
//! the reverse order of their beginning in each thread.

use core::cell::Cell;
use core::ptr;

use smallvec::SmallVec;

use super::arrays::{Ways, restrict};
use crate::engine::{self, Call, Device, Place, Time, Transfer};
use crate::unified::Holding;

/// What a region mapped.
pub(super) struct Data {
    pub(super) device: Device,
    pub(super) place: Place,
    pub(super) memory: Vec<Transfer>,
    /// Managed memory that it uses.
    pub(super) held: SmallVec<[Holding; 8]>,
}

struct Open {
    /// Nothing for a region on the host.
    data: Option<Data>,
    outer: *mut Open,
}

thread_local! {
    /// Without a destructor: a thread that ends inside of a region, which
    /// takes exit(3), leaves it.
    static INNERMOST: Cell<*mut Open> = const { Cell::new(ptr::null_mut()) };
}

/// A region begins.
pub(super) fn begin(data: Option<Data>) {
    let outer = INNERMOST.get();
    INNERMOST.set(Box::into_raw(Box::new(Open { data, outer })));
}

/// The innermost region ends, by the call `real`.
pub(super) fn end(real: impl FnOnce()) {
    let innermost = INNERMOST.get();
    if innermost.is_null() {
        // It began before this library was there to see it.
        return real();
    }
    // SAFETY: made by `begin` in this thread, and taken off the list here.
    let open = unsafe { Box::from_raw(innermost) };
    INNERMOST.set(open.outer);
    let Some(Data { device, place, memory, held }) = open.data else {
        return real();
    };
    // Until the region has ended.
    let _held = held;
    let Some((engine, device)) = engine::on(|| Some(device)) else {
        return real();
    };
    let mut call = Call::new(engine, device, place, Time::Ends, true);
    memory
        .iter()
        .filter_map(|memory| restrict(*memory, Ways::From))
        .for_each(|from| call.add(from));
    call.run(real);
    engine.unmapped(device, memory.iter().map(|memory| memory.range));
}
