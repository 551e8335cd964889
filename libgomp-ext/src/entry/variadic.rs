//! OpenACC's variadic entry points. Their exported names only jump to the
//! collectors in `variadic.c`, which stable Rust cannot define; those come
//! back here with the tail as an array.

use core::ffi::{c_int, c_ushort, c_void};

use offmem_abi::Site;

use super::openacc::openacc;
use super::openmp::key_of;
use super::{Arrays, Construct, Passed, Place, Region, Time, Ways};
use crate::function::Function;

/// Must agree with `variadic.c`.
const TAIL_MAX: usize = 24;

/// The variadic arguments of one call, padded with 0.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Tail {
    value: [c_int; TAIL_MAX],
}

unsafe extern "C" {
    fn offmem_collect_parallel_keyed();
    fn offmem_collect_update();
    fn offmem_collect_enter_exit_data();
    fn offmem_collect_enter_data();
    fn offmem_collect_exit_data();
    fn offmem_plain_parallel_keyed();
    fn offmem_plain_update();
    fn offmem_plain_enter_exit_data();
    fn offmem_plain_enter_data();
    fn offmem_plain_exit_data();
}

/// Exports `$name`, which leaves every argument where it is and goes on in `$collector`.
macro_rules! jump {
    ($($name:ident => $collector:ident),+ $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), "`; see libgomp's function of that name.")]
        ///
        /// # Safety
        /// As libgomp's.
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[cfg_attr(test, allow(dead_code, reason = "no test calls it"))]
        #[allow(non_snake_case, reason = "libgomp's name")]
        pub(crate) unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!("jmp {}", sym $collector);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!("b {}", sym $collector);
        }
    )+ };
}

jump! {
    offmem_GOACC_parallel_keyed => offmem_collect_parallel_keyed,
    offmem_GOACC_update => offmem_collect_update,
    offmem_GOACC_enter_exit_data => offmem_collect_enter_exit_data,
    offmem_GOACC_enter_data => offmem_collect_enter_data,
    offmem_GOACC_exit_data => offmem_collect_exit_data,
    GOACC_parallel_keyed => offmem_plain_parallel_keyed,
    GOACC_update => offmem_plain_update,
    GOACC_enter_exit_data => offmem_plain_enter_exit_data,
    GOACC_enter_data => offmem_plain_enter_data,
    GOACC_exit_data => offmem_plain_exit_data,
}

/// Calls a variadic function with the whole tail: libgomp reads as much of it
/// as the fixed arguments and the tags announce.
macro_rules! spread {
    ($function:ident($($fixed:expr),*), $tail:expr) => {{
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = $tail.value;
        $function($($fixed,)* a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
    }};
}

/// Launch tags (gomp-constants.h): a code in the highest four bits, an operand
/// in the lowest sixteen, which may stand for an argument behind the tag.
const LAUNCH_DIMENSIONS: u32 = 1;
const LAUNCH_ASYNC: u32 = 2;
const LAUNCH_WAIT: u32 = 3;
const OPERAND_IS_ARGUMENT: u32 = 0xffff;

impl Tail {
    /// Whether these tags, of a launch, put it into a queue.
    fn is_asynchronous(&self) -> bool {
        let mut rest = self.value.iter();
        while let Some(tag) = rest.next() {
            let tag = tag.cast_unsigned();
            let (code, operand) = (tag >> 28, tag & 0xffff);
            let arguments = match code {
                LAUNCH_DIMENSIONS => operand.count_ones(),
                LAUNCH_ASYNC if operand == OPERAND_IS_ARGUMENT => {
                    return rest.next().is_some_and(|queue| *queue != SYNC);
                }
                // A constant queue fits into the operand, and -2 does not.
                LAUNCH_ASYNC => return true,
                LAUNCH_WAIT => u32::try_from(operand.cast_signed() as i16).unwrap_or(0),
                _ => return false,
            };
            for _ in 0..arguments {
                rest.next();
            }
        }
        false
    }
}

/// The queue that is none: the call waits for its work (gomp-constants.h).
pub(super) const SYNC: c_int = -2;

type ParallelKeyed =
    unsafe extern "C" fn(c_int, Region, usize, *mut *mut c_void, *mut usize, *mut c_ushort, ...);

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "libgomp's")]
unsafe extern "C" fn offmem_parallel_keyed(
    site: *const Site,
    flags: c_int,
    function: Region,
    mapnum: usize,
    hostaddrs: *mut *mut c_void,
    sizes: *mut usize,
    kinds: *mut c_ushort,
    tail: *const Tail,
) {
    static REAL: Function<ParallelKeyed> = Function::of_libgomp(c"GOACC_parallel_keyed");
    let place = Place { site, key: key_of(function) };
    // SAFETY: libgomp's prototype, the caller's arrays; the collector's tail is
    // valid for this call.
    unsafe {
        let (real, tail) = (REAL.get(), &*tail);
        let time = if tail.is_asynchronous() { Time::Later } else { Time::Region };
        let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
        let what = (Construct::Region, Ways::Both);
        openacc(place, flags, time, arrays, what, |Passed { arrays, .. }| {
            let (hostaddrs, sizes, kinds) = (arrays.addresses(), arrays.sizes(), arrays.kinds());
            spread!(real(flags, function, mapnum, hostaddrs, sizes, kinds), tail);
        });
    }
}

/// Which function `variadic.c` collected for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "C makes the values")]
pub(crate) enum Waiting {
    Update,
    EnterExitData,
    EnterData,
    ExitData,
}

type WaitingFunction = unsafe extern "C" fn(
    c_int,
    usize,
    *mut *mut c_void,
    *mut usize,
    *mut c_ushort,
    c_int,
    c_int,
    ...
);

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "libgomp's")]
unsafe extern "C" fn offmem_waiting(
    which: Waiting,
    site: *const Site,
    flags: c_int,
    mapnum: usize,
    hostaddrs: *mut *mut c_void,
    sizes: *mut usize,
    kinds: *mut c_ushort,
    queue: c_int,
    num_waits: c_int,
    tail: *const Tail,
) {
    static UPDATE: Function<WaitingFunction> = Function::of_libgomp(c"GOACC_update");
    static ENTER_EXIT: Function<WaitingFunction> = Function::of_libgomp(c"GOACC_enter_exit_data");
    static ENTER: Function<WaitingFunction> = Function::of_libgomp(c"GOACC_enter_data");
    static EXIT: Function<WaitingFunction> = Function::of_libgomp(c"GOACC_exit_data");
    let place = Place { site, key: kinds as usize };
    // SAFETY: libgomp's prototypes, the caller's arrays; the collector's tail is
    // valid for this call.
    unsafe {
        let tail = &*tail;
        let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
        let (real, construct, ways, time) = match which {
            Waiting::Update => (UPDATE.get(), Construct::Update, Ways::Update, Time::Copies),
            Waiting::EnterExitData => {
                (ENTER_EXIT.get(), Construct::of_either(arrays), Ways::Both, Time::Ends)
            }
            Waiting::EnterData => (ENTER.get(), Construct::Enter, Ways::To, Time::Copies),
            Waiting::ExitData => (EXIT.get(), Construct::Exit, Ways::From, Time::Ends),
        };
        let time = if queue == SYNC { time } else { Time::Later };
        openacc(place, flags, time, arrays, (construct, ways), |Passed { arrays, .. }| {
            let (hostaddrs, sizes, kinds) = (arrays.addresses(), arrays.sizes(), arrays.kinds());
            spread!(real(flags, arrays.count(), hostaddrs, sizes, kinds, queue, num_waits), tail);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{TAIL_MAX, Tail};

    #[test]
    fn a_queue_among_the_launch_tags() {
        let tail = |tags: &[u32]| {
            let mut value = [0; TAIL_MAX];
            for (place, tag) in value.iter_mut().zip(tags) {
                *place = tag.cast_signed();
            }
            Tail { value }
        };
        let (dimensions, queue, wait) = (1u32 << 28 | 0b101, 2u32 << 28, 3u32 << 28);
        assert!(!tail(&[]).is_asynchronous());
        assert!(!tail(&[dimensions, 2 << 28, 2 << 28, 0]).is_asynchronous(), "dimensions");
        assert!(tail(&[dimensions, 7, 8, queue | 3]).is_asynchronous());
        assert!(tail(&[queue | 0xffff, u32::MAX]).is_asynchronous(), "async without a queue");
        assert!(!tail(&[queue | 0xffff, (-2i32).cast_unsigned()]).is_asynchronous());
        assert!(tail(&[wait | 2, 0, 0, queue | 1]).is_asynchronous());
        assert!(
            !tail(&[wait | 0xffff, 0, queue | 1]).is_asynchronous(),
            "wait for all, then the end"
        );
    }
}
