//! For tests alone: with the feature `sabotage-unified`, `OFFMEM_SABOTAGE` names a protection of
//! unified memory that is missing. One build serves for all of them.

use core::ffi::CStr;

/// Whether the protection with this name is missing. In any other build that is never so, and
/// nothing is read.
#[inline(always)]
pub(crate) fn lacks(protection: &CStr) -> bool {
    cfg!(feature = "sabotage-unified") && is_named(protection)
}

fn is_named(protection: &CStr) -> bool {
    // SAFETY: C strings; the variable is not changed.
    unsafe {
        let named = libc::getenv(c"OFFMEM_SABOTAGE".as_ptr());
        !named.is_null() && CStr::from_ptr(named) == protection
    }
}
