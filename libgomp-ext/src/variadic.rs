//! OpenACC's variadic entry points. Their exported names only jump to the
//! collectors in `variadic.c`, which stable Rust cannot define; those come
//! back here with the tail as an array.

use core::ffi::{c_int, c_ushort, c_void};

use offmem_abi::Site;

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
}

/// Exports `$name`, which leaves every argument where it is and goes on in `$collector`.
macro_rules! jump {
    ($($name:ident => $collector:ident),+ $(,)?) => { $(
        #[doc = concat!("`", stringify!($name), " (site, …)`; see libgomp's function of that name.")]
        ///
        /// # Safety
        /// As libgomp's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
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
}

/// Calls a variadic function with the whole tail: libgomp reads as much of it
/// as the fixed arguments and the tags announce.
macro_rules! spread {
    ($function:ident($($fixed:expr),*), $tail:expr) => {{
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = $tail.value;
        $function($($fixed,)* a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
    }};
}

type ParallelKeyed = unsafe extern "C" fn(
    c_int,
    Option<unsafe extern "C" fn(*mut c_void)>,
    usize,
    *mut *mut c_void,
    *mut usize,
    *mut c_ushort,
    ...
);

#[unsafe(no_mangle)]
unsafe extern "C" fn offmem_parallel_keyed(
    _site: *const Site,
    flags: c_int,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    mapnum: usize,
    hostaddrs: *mut *mut c_void,
    sizes: *mut usize,
    kinds: *mut c_ushort,
    tail: *const Tail,
) {
    static REAL: Function<ParallelKeyed> = Function::of_libgomp(c"GOACC_parallel_keyed");
    // SAFETY: libgomp's prototype; the collector's tail is valid for this call.
    unsafe {
        let (real, tail) = (REAL.get(), &*tail);
        spread!(real(flags, function, mapnum, hostaddrs, sizes, kinds), tail);
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
    _site: *const Site,
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
    // SAFETY: libgomp's prototypes; the collector's tail is valid for this call.
    unsafe {
        let real = match which {
            Waiting::Update => UPDATE.get(),
            Waiting::EnterExitData => ENTER_EXIT.get(),
            Waiting::EnterData => ENTER.get(),
            Waiting::ExitData => EXIT.get(),
        };
        let tail = &*tail;
        spread!(real(flags, mapnum, hostaddrs, sizes, kinds, queue, num_waits), tail);
    }
}
