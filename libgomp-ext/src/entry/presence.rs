//! Routines about what is mapped where, which a program calls by name.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use offmem_registration::Range;

use super::api::is_asynchronous;
use super::{Device, entry, filter};
use crate::engine;
use crate::errno;
use crate::function::Function;
use crate::message::say;
use crate::sabotage;
use crate::unified::{self, Sharing};

/// Adapts a copy of `length` bytes to where its memory is: a side that is the
/// host's although it is named by a device's number gets the host's. Whether
/// both sides are the same memory, so that there is nothing to copy.
pub(super) fn reroute(
    (to, to_device): (usize, &mut c_int),
    (from, from_device): (usize, &mut c_int),
    length: usize,
) -> bool {
    if sabotage::lacks(c"reroute") {
        return false;
    }
    let sharing = |address, number| {
        let device = Device::numbered(number)?;
        Some(unified::sharing_first(Range::new(address, length)?, device))
    };
    let sides = [sharing(to, *to_device), sharing(from, *from_device)];
    let is_host = |side: Option<Sharing>, number| match side {
        Some(sharing) => sharing.is_shared(),
        None => Device::is_host(number),
    };
    let same = to == from && is_host(sides[0], *to_device) && is_host(sides[1], *from_device);
    // Which libgomp refuses before GCC 13.
    let is_across =
        *to_device != *from_device && sides.iter().all(|side| side.is_some_and(Sharing::is_shared));
    for (side, address, number) in [(sides[0], to, to_device), (sides[1], from, from_device)] {
        if side == Some(Sharing::Pageable) && is_readable(address) || same || is_across {
            *number = Device::host();
        }
    }
    same
}

/// Whether the host can read at an address, which may be the device's.
pub(super) fn is_readable(address: usize) -> bool {
    // The kernel reads the set before it finds that there is no such operation.
    // SAFETY: nothing is changed, and no memory of ours is used.
    let status = unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, !0usize, address & !7, 0usize, size_of::<u64>())
    };
    status == 0 || errno::get() != libc::EFAULT
}

/// For what was put into OpenACC's `queue`.
pub(super) fn wait(queue: c_int) {
    static WAIT: Function<unsafe extern "C" fn(c_int)> = Function::of_libgomp(c"acc_wait");
    if is_asynchronous(&[queue]) {
        // SAFETY: openacc.h's prototype.
        unsafe { WAIT.get()(queue) };
    }
}

/// Whether the device uses the host's memory at `address` as it is, although
/// libgomp does not know it. To be asked before libgomp is: only then does that
/// know managed memory on a device that nothing has used.
fn is_pageable(address: *const c_void, device: impl FnOnce() -> Option<Device>) -> bool {
    unified::is_on()
        && Range::new(address.addr(), 1).is_some_and(|range| {
            device()
                .is_some_and(|device| unified::sharing_first(range, device) == Sharing::Pageable)
        })
}

/// Whether this library has made the memory at `address` the device's.
fn is_owned(address: *const c_void, device: Option<Device>) -> bool {
    unified::is_on()
        && device.is_some_and(|device| {
            Range::new(address.addr(), 1).is_some_and(|range| unified::is_owned(range, device))
        })
}

entry! {
    fn acc_deviceptr (place, real; host: *mut c_void) -> *mut c_void [0] {
        let _ = place;
        let is_pageable = is_pageable(host, || Some(Device::Openacc));
        // SAFETY: the caller's argument.
        let found = unsafe { real(host) };
        if found.is_null() && is_pageable { host } else { found }
    }

    fn acc_hostptr (place, real; device: *mut c_void) -> *mut c_void [0] {
        let _ = place;
        if unified::is_on()
            && let Some(range) = Range::new(device.addr(), 1)
            && match unified::sharing_first(range, Device::Openacc) {
                Sharing::Separate => false,
                // libgomp takes another way for associations than for mappings.
                Sharing::Managed => true,
                Sharing::Pageable => is_readable(range.start),
            }
        {
            return device;
        }
        // SAFETY: the caller's argument.
        unsafe { real(device) }
    }

    fn acc_is_present (place, real; host: *mut c_void, size: usize) -> c_int [0] {
        let _ = place;
        let is_pageable = is_pageable(host, || Some(Device::Openacc));
        // SAFETY: the caller's arguments.
        let found = unsafe { real(host, size) };
        c_int::from(found != 0 || size > 0 && !host.is_null() && is_pageable)
    }

    fn omp_target_is_present (place, real; host: *const c_void, device: c_int) -> c_int [0] {
        let _ = place;
        let is_pageable = is_pageable(host, || Device::numbered(device));
        // SAFETY: the caller's arguments.
        let found = unsafe { real(host, device) };
        c_int::from(found != 0 || is_pageable)
    }

    fn omp_target_is_accessible (place, real;
        host: *const c_void, size: usize, device: c_int,
    ) -> c_int [0] {
        let _ = place;
        let is_shared = || {
            let range = Range::new(host.addr(), size.max(1)).filter(|_| !host.is_null())?;
            Some(unified::sharing_first(range, Device::numbered(device)?).is_shared())
        };
        if unified::is_on() && is_shared() == Some(true) {
            return 1;
        }
        // SAFETY: the caller's arguments.
        unsafe { real(host, size, device) }
    }

    fn omp_get_mapped_ptr (place, real; host: *const c_void, device: c_int) -> *mut c_void [0] {
        let _ = place;
        let is_pageable = is_pageable(host, || Device::numbered(device));
        // SAFETY: the caller's arguments.
        let found = unsafe { real(host, device) };
        if found.is_null() && is_pageable { host.cast_mut() } else { found }
    }

    fn omp_target_associate_ptr (place, real;
        host: *const c_void, pointer: *const c_void, size: usize, offset: usize, device: c_int,
    ) -> c_int [0] {
        let _ = place;
        if host.addr() == pointer.addr().wrapping_add(offset) {
            let number = Device::numbered(device);
            if unified::is_on() && let Some(device) = number {
                unified::meet(device);
            }
            if is_owned(host, number) {
                // So it is.
                return 0;
            }
            unified::expect_own();
        }
        // SAFETY: the caller's arguments.
        unsafe { real(host, pointer, size, offset, device) }
    }

    fn omp_target_disassociate_ptr (place, real; host: *const c_void, device: c_int) -> c_int [0] {
        let _ = place;
        if is_owned(host, Device::numbered(device)) {
            // It stays, but could be a whole slab's for libgomp.
            return 0;
        }
        // SAFETY: the caller's arguments.
        let result = unsafe { real(host, device) };
        if let Some((engine, device)) = engine::on(|| Device::numbered(device)) {
            engine.unmapped(device, Range::new(host as usize, 1).into_iter());
        }
        result
    }

    fn acc_map_data (place, real; host: *mut c_void, device: *mut c_void, size: usize) [0] {
        let _ = place;
        if is_owned(host, Some(Device::Openacc)) {
            if host != device {
                tell_of_map();
            }
            return;
        }
        // SAFETY: the caller's arguments.
        unsafe { real(host, device, size) }
    }

    fn acc_unmap_data (place, real; host: *mut c_void) [0] {
        let _ = place;
        if is_owned(host, Some(Device::Openacc)) {
            return;
        }
        // SAFETY: the caller's argument.
        unsafe { real(host) };
        engine::unmapped_openacc(Range::new(host as usize, 1));
    }
}

/// libgomp would end the program: the memory is mapped already.
#[cold]
fn tell_of_map() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::Relaxed) {
        say(format_args!(
            "acc_map_data: the host memory is unified; the device uses it as it is, and not what \
             it was to be mapped to"
        ));
    }
}

/// What becomes of a pointer that a program attaches by a routine.
enum Attachment {
    /// libgomp's.
    Real,
    /// The device is to see the host's value.
    Verbatim,
    /// It sees it.
    Nothing,
}

/// Of the pointer at `location`.
fn attachment(location: *mut *mut c_void) -> Attachment {
    let Some(range) = Range::new(location.addr(), size_of::<usize>())
        .filter(|_| unified::is_on() && !location.is_null())
    else {
        return Attachment::Real;
    };
    // SAFETY: the caller's pointer, which libgomp reads, too.
    let value = unsafe { location.read_unaligned() };
    let target = Range::new(value.addr(), 1).filter(|_| !value.is_null());
    let sharing = |range| unified::sharing_first(range, Device::Openacc);
    match (sharing(range), target.map(sharing)) {
        (Sharing::Separate, Some(Sharing::Pageable)) => Attachment::Verbatim,
        (Sharing::Separate, _) => Attachment::Real,
        (Sharing::Managed, Some(Sharing::Separate)) => {
            filter::tell_of_pointer();
            Attachment::Nothing
        }
        _ => Attachment::Nothing,
    }
}

macro_rules! attach {
    ($($name:ident ($($queue:ident)?): $attaches:expr;)+) => { entry! { $(
        fn $name (place, real; location: *mut *mut c_void $(, $queue: c_int)?) [0] {
            let _ = place;
            match attachment(location) {
                // SAFETY: the caller's arguments.
                Attachment::Real => unsafe { real(location $(, $queue)?) },
                Attachment::Verbatim if $attaches => filter::update_pointer(location),
                Attachment::Verbatim | Attachment::Nothing => {}
            }
        }
    )+ } };
}

attach! {
    acc_attach(): true;
    acc_attach_async(queue): true;
    acc_detach(): false;
    acc_detach_async(queue): false;
    acc_detach_finalize(): false;
    acc_detach_finalize_async(queue): false;
}

#[cfg(test)]
mod tests {
    use super::is_readable;

    #[test]
    fn what_the_host_can_read() {
        let here = 0u64;
        assert!(is_readable((&raw const here).addr()));
        assert!(!is_readable(8) && !is_readable(usize::MAX));
    }
}
