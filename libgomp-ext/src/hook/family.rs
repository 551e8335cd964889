//! libc's `malloc` and its family, behind ours.

use core::ffi::{c_int, c_void};
use core::ptr;

use super::next::Next;
use crate::errno;

pub(super) type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Calloc = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Align = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type PosixAlign = unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int;
type Usable = unsafe extern "C" fn(*mut c_void) -> usize;

/// The next function `$name`, with a stand-in that finds it and, where there is none, returns
/// `$without`.
macro_rules! next {
    ($($next:ident is $name:literal: $type:ty, ($($argument:ident: $of:ty),*) $(-> $result:ty)?, $without:expr;)+) => { $(
        pub(super) static $next: Next<$type> = {
            #[cold]
            unsafe extern "C" fn stand_in($($argument: $of),*) $(-> $result)? {
                match $next.find() {
                    // SAFETY: the caller's arguments.
                    Some(next) => unsafe { next($($argument),*) },
                    None => $without,
                }
            }
            Next::new($name, stand_in as *mut c_void)
        };
    )+ };
}

next! {
    MALLOC is c"malloc": Malloc, (size: usize) -> *mut c_void, no_memory();
    CALLOC is c"calloc": Calloc, (count: usize, size: usize) -> *mut c_void, no_memory();
    REALLOC is c"realloc": Realloc, (block: *mut c_void, size: usize) -> *mut c_void, no_memory();
    FREE is c"free": Free, (_block: *mut c_void), ();
    POSIX_MEMALIGN is c"posix_memalign": PosixAlign,
        (block: *mut *mut c_void, align: usize, size: usize) -> c_int, libc::ENOMEM;
    ALIGNED_ALLOC is c"aligned_alloc": Align, (align: usize, size: usize) -> *mut c_void, no_memory();
    MEMALIGN is c"memalign": Align, (align: usize, size: usize) -> *mut c_void, no_memory();
    VALLOC is c"valloc": Malloc, (size: usize) -> *mut c_void, no_memory();
    PVALLOC is c"pvalloc": Malloc, (size: usize) -> *mut c_void, no_memory();
    USABLE_SIZE is c"malloc_usable_size": Usable, (_block: *mut c_void) -> usize, 0;
}

/// Whether all of the family is ours, with libc's behind it. Else some block of
/// ours could be freed by a stranger.
pub(crate) fn is_libcs_only() -> bool {
    MALLOC.is_between()
        && CALLOC.is_between()
        && REALLOC.is_between()
        && FREE.is_between()
        && POSIX_MEMALIGN.is_between()
        && ALIGNED_ALLOC.is_between()
        && MEMALIGN.is_between()
        && VALLOC.is_between()
        && PVALLOC.is_between()
        && USABLE_SIZE.is_between()
}

fn no_memory() -> *mut c_void {
    errno::set(libc::ENOMEM);
    ptr::null_mut()
}
