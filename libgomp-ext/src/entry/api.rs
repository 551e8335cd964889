//! Routines that a program calls by name: omp.h's and openacc.h's.

use core::ffi::{c_int, c_void};

use offmem_registration::Range;

use super::kind::When;
use super::variadic::SYNC;
use super::{Device, copying, entry, presence};
use crate::engine::{self, Place, Time, Transfer};
use crate::unified::{self, Sharing};

/// The host's side of a copy between two devices, one of which is the host.
fn host_side(
    destination: (*const c_void, usize, c_int),
    source: (*const c_void, usize, c_int),
    length: usize,
) -> Option<(Device, Transfer)> {
    let [to, from] = [destination.2, source.2].map(Device::numbered);
    let (device, (address, offset, _), when) = match (to, from) {
        (Some(device), None) => (device, source, (When::Always, When::Never)),
        (None, Some(device)) => (device, destination, (When::Never, When::Always)),
        _ => return None,
    };
    let range = Range::new((address as usize).checked_add(offset)?, length)?;
    Some((device, Transfer { range, to: when.0, from: when.1 }))
}

/// A copy as [`host_side`] describes it, made by `real`.
fn memcpy<R>(
    place: Place,
    time: Time,
    side: impl FnOnce() -> Option<(Device, Transfer)>,
    real: impl FnOnce() -> R,
) -> R {
    let side = if engine::is_armed() { side() } else { None };
    copying(
        place,
        || side.map(|(device, _)| device),
        time,
        false,
        side.map(|(_, transfer)| transfer).into_iter(),
        real,
    )
}

/// The bytes from the first to the last that a rectangle of `volume` elements
/// at `offsets` in an array of `dimensions` touches, as offset and length.
///
/// # Safety
/// The three have `count` elements.
unsafe fn extent(
    element_size: usize,
    count: c_int,
    volume: *const usize,
    offsets: *const usize,
    dimensions: *const usize,
) -> Option<(usize, usize)> {
    let (mut first, mut last, mut stride) = (0usize, 0usize, element_size);
    for i in (0..usize::try_from(count).ok()?).rev() {
        // SAFETY: by the contract above.
        let (volume, offset, dimension) =
            unsafe { (*volume.add(i), *offsets.add(i), *dimensions.add(i)) };
        first = first.checked_add(offset.checked_mul(stride)?)?;
        last =
            last.checked_add(offset.checked_add(volume.checked_sub(1)?)?.checked_mul(stride)?)?;
        stride = stride.checked_mul(dimension)?;
    }
    Some((first, last.checked_add(element_size)?.checked_sub(first)?))
}

/// An asynchronous routine's copies are made when its dependences are there.
/// The place of a call that the plugin did not compile is the function itself.
macro_rules! memcpy {
    ($($name:ident as $export:ident, $time:expr, ($($extra:ident: $type:ty),*);)+) => { entry! { $(
        fn $name as $export (place, real;
            dst: *mut c_void, src: *const c_void, length: usize, dst_offset: usize,
            src_offset: usize, dst_device: c_int, src_device: c_int, $($extra: $type),*
        ) -> c_int [$name as *const () as usize] {
            let mut length = length;
            let (mut dst_device, mut src_device) = (dst_device, src_device);
            if unified::is_on() {
                let to = (dst.addr().wrapping_add(dst_offset), &mut dst_device);
                let from = (src.addr().wrapping_add(src_offset), &mut src_device);
                if presence::reroute(to, from, length) {
                    length = 0;
                }
            }
            let side = || {
                host_side((dst, dst_offset, dst_device), (src, src_offset, src_device), length)
            };
            // SAFETY: the caller's arguments.
            memcpy(place, $time, side, || unsafe {
                real(dst, src, length, dst_offset, src_offset, dst_device, src_device, $($extra),*)
            })
        }
    )+ } };
}

memcpy! {
    omp_target_memcpy as offmem_omp_target_memcpy, Time::Copies, ();
    omp_target_memcpy_async as offmem_omp_target_memcpy_async, Time::Later,
        (depobj_count: c_int, depobj_list: *mut c_void);
}

/// Rectangles of more dimensions are copied onto themselves.
const DIMENSIONS_MAX: usize = 16;

macro_rules! memcpy_rect {
    ($($name:ident as $export:ident, $time:expr, ($($extra:ident: $type:ty),*);)+) => { entry! { $(
        fn $name as $export (place, real;
            dst: *mut c_void, src: *const c_void, element_size: usize, num_dims: c_int,
            volume: *const usize, dst_offsets: *const usize, src_offsets: *const usize,
            dst_dimensions: *const usize, src_dimensions: *const usize, dst_device: c_int,
            src_device: c_int, $($extra: $type),*
        ) -> c_int [$name as *const () as usize] {
            let (mut volume, nothing) = (volume, [0; DIMENSIONS_MAX]);
            let (mut dst_device, mut src_device) = (dst_device, src_device);
            if unified::is_on() && !dst.is_null() && !src.is_null() {
                // SAFETY: the caller's arrays.
                let (to, from) = unsafe {(
                    extent(element_size, num_dims, volume, dst_offsets, dst_dimensions),
                    extent(element_size, num_dims, volume, src_offsets, src_dimensions),
                )};
                if let (Some((to, length)), Some((from, _))) = (to, from) {
                    let to = (dst.addr().wrapping_add(to), &mut dst_device);
                    let from = (src.addr().wrapping_add(from), &mut src_device);
                    // Both are the same if the first rows are: else they would overlap.
                    if presence::reroute(to, from, length)
                        && usize::try_from(num_dims).is_ok_and(|count| count <= DIMENSIONS_MAX)
                    {
                        volume = nothing.as_ptr();
                    }
                }
            }
            let side = || {
                // Asked for the number of dimensions that there may be.
                if dst.is_null() || src.is_null() {
                    return None;
                }
                let to_device = Device::numbered(dst_device).is_some();
                let (offsets, dimensions) =
                    if to_device { (src_offsets, src_dimensions) } else { (dst_offsets, dst_dimensions) };
                // SAFETY: the caller's arrays.
                let extent = unsafe { extent(element_size, num_dims, volume, offsets, dimensions) };
                let (offset, length) = extent?;
                host_side((dst, offset, dst_device), (src, offset, src_device), length)
            };
            // SAFETY: the caller's arguments.
            memcpy(place, $time, side, || unsafe {
                real(dst, src, element_size, num_dims, volume, dst_offsets, src_offsets,
                     dst_dimensions, src_dimensions, dst_device, src_device, $($extra),*)
            })
        }
    )+ } };
}

memcpy_rect! {
    omp_target_memcpy_rect as offmem_omp_target_memcpy_rect, Time::Copies, ();
    omp_target_memcpy_rect_async as offmem_omp_target_memcpy_rect_async, Time::Later,
        (depobj_count: c_int, depobj_list: *mut c_void);
}

/// What a routine returns that has nothing to do for memory at `host`.
trait Answer {
    fn of_host(host: *mut c_void) -> Self;
}

impl Answer for () {
    fn of_host(_: *mut c_void) {}
}

/// Where the device finds it.
impl Answer for *mut c_void {
    fn of_host(host: *mut c_void) -> *mut c_void {
        host
    }
}

/// OpenACC's routines on `size` bytes at `host`: when they copy to the device,
/// and from it.
macro_rules! openacc {
    ($($name:ident (host, size $(, $async:ident)?) $(-> $result:ty)?:
        $to:ident, $from:ident, $time:ident;)+) => { entry! { $(
        fn $name (place, real;
            host: *mut c_void, size: usize $(, $async: c_int)?
        ) $(-> $result)? [$name as *const () as usize] {
            let range = Range::new(host as usize, size);
            if unified::is_on() && let Some(range) = range {
                let is_update = When::$to == When::Mapped || When::$from == When::Mapped;
                let is_left_out = match unified::sharing_first(range, Device::Openacc) {
                    Sharing::Separate => false,
                    // libgomp finds it present; it would copy it onto itself.
                    Sharing::Managed => is_update,
                    Sharing::Pageable => true,
                };
                if is_left_out {
                    return Answer::of_host(host);
                }
            }
            let transfer = Transfer {
                range: range.unwrap_or(Range { start: 0, end: 0 }),
                to: When::$to,
                from: When::$from,
            };
            let copied = range.map(|_| transfer)
                .filter(|_| (When::$to, When::$from) != (When::Never, When::Never));
            let time = if $crate::entry::api::is_asynchronous(&[$($async)?]) {
                Time::Later
            } else {
                Time::$time
            };
            let maps = (When::$to, When::$from) == (When::New, When::Never);
            let copied = copied.into_iter();
            // SAFETY: the caller's arguments.
            let result = copying(place, || Some(Device::Openacc), time, maps, copied, || unsafe {
                real(host, size $(, $async)?)
            });
            engine::after_openacc();
            if Time::$time == Time::Ends {
                engine::unmapped_openacc(range);
            }
            result
        }
    )+ } };
}

/// Whether an `async` argument is there and does not mean "now" (gomp-constants.h).
pub(super) fn is_asynchronous(queue: &[c_int]) -> bool {
    queue.iter().any(|queue| *queue != SYNC)
}

openacc! {
    acc_copyin(host, size) -> *mut c_void: New, Never, Copies;
    acc_present_or_copyin(host, size) -> *mut c_void: New, Never, Copies;
    acc_pcopyin(host, size) -> *mut c_void: New, Never, Copies;
    acc_copyin_async(host, size, queue): New, Never, Copies;
    acc_create(host, size) -> *mut c_void: Never, Never, Copies;
    acc_present_or_create(host, size) -> *mut c_void: Never, Never, Copies;
    acc_pcreate(host, size) -> *mut c_void: Never, Never, Copies;
    acc_create_async(host, size, queue): Never, Never, Copies;
    acc_copyout(host, size): Never, New, Ends;
    acc_copyout_async(host, size, queue): Never, New, Ends;
    acc_copyout_finalize(host, size): Never, Always, Ends;
    acc_copyout_finalize_async(host, size, queue): Never, Always, Ends;
    acc_delete(host, size): Never, Never, Ends;
    acc_delete_async(host, size, queue): Never, Never, Ends;
    acc_delete_finalize(host, size): Never, Never, Ends;
    acc_delete_finalize_async(host, size, queue): Never, Never, Ends;
    acc_update_device(host, size): Mapped, Never, Copies;
    acc_update_device_async(host, size, queue): Mapped, Never, Copies;
    acc_update_self(host, size): Never, Mapped, Copies;
    acc_update_self_async(host, size, queue): Never, Mapped, Copies;
}

entry! {
    fn acc_memcpy_to_device (place, real; device: *mut c_void, host: *mut c_void, size: usize)
        [acc_memcpy_to_device as *const () as usize] {
        let ways = (When::Always, When::Never);
        // SAFETY: the caller's arguments.
        openacc_memcpy(place, (host, device), size, ways, SYNC, || unsafe { real(device, host, size) });
    }

    fn acc_memcpy_to_device_async (place, real;
        device: *mut c_void, host: *mut c_void, size: usize, queue: c_int,
    ) [acc_memcpy_to_device_async as *const () as usize] {
        let ways = (When::Always, When::Never);
        // SAFETY: the caller's arguments.
        openacc_memcpy(place, (host, device), size, ways, queue, || unsafe { real(device, host, size, queue) });
    }

    fn acc_memcpy_from_device (place, real; host: *mut c_void, device: *mut c_void, size: usize)
        [acc_memcpy_from_device as *const () as usize] {
        let ways = (When::Never, When::Always);
        // SAFETY: the caller's arguments.
        openacc_memcpy(place, (host, device), size, ways, SYNC, || unsafe { real(host, device, size) });
    }

    fn acc_memcpy_from_device_async (place, real;
        host: *mut c_void, device: *mut c_void, size: usize, queue: c_int,
    ) [acc_memcpy_from_device_async as *const () as usize] {
        let ways = (When::Never, When::Always);
        // SAFETY: the caller's arguments.
        openacc_memcpy(place, (host, device), size, ways, queue, || unsafe { real(host, device, size, queue) });
    }

    fn acc_shutdown (place, real; device_type: c_int) [0] {
        let _ = place;
        // The context goes with the device, and registrations with the context.
        engine::suspend();
        // SAFETY: the caller's argument.
        unsafe { real(device_type) };
    }
}

fn openacc_memcpy(
    place: Place,
    (host, device): (*mut c_void, *mut c_void),
    size: usize,
    (to, from): (When, When),
    queue: c_int,
    real: impl FnOnce(),
) {
    if unified::is_on()
        && let Some(range) = Range::new(device.addr(), size)
    {
        let sharing = unified::sharing_first(range, Device::Openacc);
        if host == device && sharing.is_shared() {
            return;
        }
        if sharing == Sharing::Pageable && presence::is_readable(range.start) {
            presence::wait(queue);
            let (target, source) =
                if from == When::Never { (device, host) } else { (host, device) };
            // SAFETY: the caller's memory, of which the host can use both sides.
            unsafe { target.copy_from(source, size) };
            return;
        }
    }
    let time = if is_asynchronous(&[queue]) { Time::Later } else { Time::Copies };
    let transfer = Range::new(host as usize, size).map(|range| Transfer { range, to, from });
    copying(place, || Some(Device::Openacc), time, false, transfer.into_iter(), real);
    engine::after_openacc();
}

#[cfg(test)]
mod tests {
    use super::{extent, is_asynchronous};

    #[test]
    fn the_extent_of_a_rectangle() {
        // 2 x 3 elements of 8 bytes at (1, 2) in an array of 10 x 10.
        let (volume, offsets, dimensions) = ([2usize, 3], [1usize, 2], [10usize, 10]);
        // SAFETY: two elements each.
        let found = unsafe { extent(8, 2, volume.as_ptr(), offsets.as_ptr(), dimensions.as_ptr()) };
        assert_eq!(found, Some((12 * 8, (10 + 3) * 8)));
        let nothing = [0usize, 3];
        // SAFETY: two elements each.
        let found =
            unsafe { extent(8, 2, nothing.as_ptr(), offsets.as_ptr(), dimensions.as_ptr()) };
        assert_eq!(found, None);
    }

    #[test]
    fn queues() {
        assert!(!is_asynchronous(&[]));
        assert!(!is_asynchronous(&[-2]));
        assert!(is_asynchronous(&[-1]) && is_asynchronous(&[0]));
    }
}
