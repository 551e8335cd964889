//! libgomp's functions that map or copy, most of them twice: as `offmem_NAME
//! (site, …)`, which is what the plugin makes of a call, and under their own
//! names, for calls that were not compiled with the plugin. Both prepare the
//! memory and go on to the real one.

mod allocation;
mod api;
mod arrays;
mod filter;
pub(crate) mod kind;
mod open;
mod openacc;
mod openmp;
mod presence;
mod variadic;

use core::ffi::{CStr, c_void};

use smallvec::SmallVec;

use crate::engine::{self, Call, Device, Place, Time, Transfer};
use crate::function::{self, Function};
use crate::report::Direction;
use crate::{api as interface, unified};
use arrays::{Arrays, Ways};
use filter::{Construct, Filter};

/// A target region's outlined function.
type Region = Option<unsafe extern "C" fn(*mut c_void)>;

/// Defines a function of libgomp's. The body gets the place of the call, for
/// which `[key]` stands where there is no record, and the real function.
macro_rules! entry {
    () => {};
    (
        fn $name:ident as $export:ident (
            $place:ident, $real:ident; $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? [$key:expr] $body:block
        $($rest:tt)*
    ) => {
        entry! {
            @define $name ($place, $real; $($argument: $type),*) [$($result)?] [$key] $body
            #[doc = concat!("`", stringify!($export), " (site, …)`; see libgomp's function of that name.")]
            ///
            /// # Safety
            /// As libgomp's.
            #[unsafe(no_mangle)]
            pub(in crate::entry) unsafe extern "C" fn $export(
                site: *const offmem_abi::Site,
                $($argument: $type),*
            ) $(-> $result)? {
                let place = $crate::engine::Place { site, key: $key };
                // SAFETY: the caller's.
                unsafe { entry(place, $($argument),*) }
            }
        }
        entry! { $($rest)* }
    };
    (
        fn $name:ident (
            $place:ident, $real:ident; $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? [$key:expr] $body:block
        $($rest:tt)*
    ) => {
        entry! { @define $name ($place, $real; $($argument: $type),*) [$($result)?] [$key] $body }
        entry! { $($rest)* }
    };
    (
        @define $name:ident ($place:ident, $real:ident; $($argument:ident: $type:ty),*)
        [$($result:ty)?] [$key:expr] $body:block
        $($export:tt)*
    ) => {
        #[allow(clippy::too_many_arguments, reason = "libgomp's")]
        #[allow(non_snake_case, reason = "libgomp's name")]
        #[cfg_attr(test, allow(dead_code, reason = "the plain name is not exported in tests"))]
        mod $name {
            use super::*;

            type Real = unsafe extern "C" fn($($type),*) $(-> $result)?;
            static REAL: $crate::function::Function<Real> = $crate::function::Function::of_libgomp(
                $crate::function::name(concat!(stringify!($name), "\0")),
            );

            #[inline]
            unsafe fn entry($place: $crate::engine::Place, $($argument: $type),*) $(-> $result)? {
                let $real = REAL.get();
                $body
            }

            #[doc = concat!("`", stringify!($name), "`, in effect where this library comes before libgomp.")]
            ///
            /// # Safety
            /// As libgomp's.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub(in crate::entry) unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                let place = $crate::engine::Place { site: core::ptr::null(), key: $key };
                // SAFETY: the caller's.
                unsafe { entry(place, $($argument),*) }
            }

            $($export)*
        }
    };
}
use entry;

/// Prepares what the call will copy, and makes it. `maps` says whether it maps
/// that, too.
fn copying<R>(
    place: Place,
    device: impl FnOnce() -> Option<Device>,
    time: Time,
    maps: bool,
    transfers: impl Iterator<Item = Transfer>,
    real: impl FnOnce() -> R,
) -> R {
    let Some((engine, device)) = engine::on(device) else {
        return real();
    };
    let mut call = Call::new(engine, device, place, time, maps);
    transfers.for_each(|transfer| call.add(transfer));
    call.run(real)
}

/// As [`copying`], for a call with map arrays, after which mappings may have
/// ended. `real` gets those that libgomp is to see.
fn mapping<R>(
    place: Place,
    device: impl FnOnce() -> Option<Device>,
    time: Time,
    arrays: Arrays,
    (construct, ways): (Construct, Ways),
    real: impl FnOnce(Passed) -> R,
) -> R {
    if unified::is_on() {
        let device = device();
        if is_concerned(device, arrays) {
            return filtering(place, device, time, arrays, (construct, ways), |filter, arrays| {
                let passed = Passed { arrays, waits: filter.waits() };
                if !interface::counts() && arrays.memory().next().is_none() {
                    // All of it is shared.
                    return real(passed);
                }
                through(place, || device, time, arrays, (construct, ways), || real(passed))
            });
        }
        let passed = Passed { arrays, waits: false };
        return through(place, || device, time, arrays, (construct, ways), || real(passed));
    }
    through(place, device, time, arrays, (construct, ways), || {
        real(Passed { arrays, waits: false })
    })
}

/// What the real function gets.
#[derive(Clone, Copy)]
struct Passed {
    arrays: Arrays,
    /// Whether the call must not go on after it has returned.
    waits: bool,
}

/// [`mapping`] without shared memory.
#[inline]
fn through<R>(
    place: Place,
    device: impl FnOnce() -> Option<Device>,
    time: Time,
    arrays: Arrays,
    (construct, ways): (Construct, Ways),
    real: impl FnOnce() -> R,
) -> R {
    let Some((engine, device)) = engine::on(device) else {
        return real();
    };
    let maps = construct != Construct::Update;
    if maps && time == Time::Later {
        engine.unmapped_later(arrays.memory().map(|memory| memory.range));
    }
    let mut call = Call::new(engine, device, place, time, maps);
    arrays.transfers(ways).for_each(|transfer| call.add(transfer));
    let result = call.run(real);
    if maps {
        engine.unmapped(device, arrays.memory().map(|memory| memory.range));
    }
    result
}

/// Whether a call for `device` may have to do with memory that is shared there.
#[inline]
fn is_concerned(device: Option<Device>, arrays: Arrays) -> bool {
    device.is_some_and(|device| {
        unified::meet(device);
        filter::concerns(arrays)
    })
}

/// Makes a call with the arrays that libgomp is to see.
#[inline(never)]
fn filtering<R>(
    place: Place,
    device: Option<Device>,
    time: Time,
    arrays: Arrays,
    (construct, ways): (Construct, Ways),
    call: impl FnOnce(&mut Filter, Arrays) -> R,
) -> R {
    let lasting = time == Time::Later;
    let mut filter = Filter::idle(arrays);
    if let Some(device) = device {
        filter.decide(device, construct, lasting);
    }
    if interface::counts() {
        let [to, from] = filter.shared_bytes(ways);
        let tally = place.tally();
        tally.shared(Direction::To, to);
        tally.shared(Direction::From, from);
    }
    if let Some(device) = device {
        filter.prefetch(device, construct, true);
    }
    let filtered = filter.arrays();
    let result = call(&mut filter, filtered);
    if let Some(device) = device.filter(|_| !lasting) {
        filter.prefetch(device, construct, false);
    }
    if filter.waits() && lasting && device == Some(Device::Openacc) {
        static WAIT: Function<unsafe extern "C" fn()> = Function::of_libgomp(c"acc_wait_all");
        // SAFETY: openacc.h's prototype.
        unsafe { WAIT.get()() };
    }
    filter.finish();
    result
}

/// A structured data region begins: what it copies back is kept until its end.
fn beginning(place: Place, device: Option<Device>, arrays: Arrays, real: impl FnOnce(Arrays)) {
    let begin = |arrays: Arrays, held| {
        open::begin(device.map(|device| open::Data {
            device,
            place,
            memory: arrays.memory().collect(),
            held,
        }));
        let what = (Construct::Data, Ways::To);
        through(place, || device, Time::Copies, arrays, what, || real(arrays));
    };
    if !unified::is_on() || !is_concerned(device, arrays) {
        return begin(arrays, SmallVec::new());
    }
    let what = (Construct::Data, Ways::Both);
    filtering(place, device, Time::Copies, arrays, what, |filter, arrays| {
        begin(arrays, filter.take_held());
    });
}

/// Whether calls that were not compiled with the plugin come here, too: those
/// of other libraries, of routines, and of older units.
pub(crate) fn is_in_effect() -> bool {
    const NAMES: [&CStr; 5] = [
        c"GOMP_target_ext",
        c"GOMP_target_update_ext",
        c"GOACC_update",
        c"omp_target_memcpy",
        c"acc_update_device",
    ];
    NAMES.iter().all(|name| {
        // SAFETY: takes a valid string.
        function::is_ours(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
    })
}
