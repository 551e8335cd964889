//! Which library called the driver.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::Path;

/// The name, without `.so` and what follows it, of the file that holds the
/// nearest frame that is not the driver's: `libgomp-plugin-nvptx`, or a
/// program's name. It unwinds, which takes microseconds.
pub(crate) fn library() -> Option<String> {
    let mut walk = Walk { own: object(library as *const c_void)?.dli_fbase, found: None };
    // SAFETY: the callback gets the walk, which outlives the call.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    let name = walk.found?.dli_fname;
    // SAFETY: dladdr gave it; the caller's file stays loaded while its frame lives.
    let path = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let file = Path::new(&path).file_name()?.to_string_lossy().into_owned();
    Some(file.split_once(".so").map_or(file.as_str(), |(stem, _)| stem).to_owned())
}

struct Walk {
    own: *mut c_void,
    found: Option<libc::Dl_info>,
}

/// libgcc's: go on, and stop.
const NO_REASON: c_int = 0;
const NORMAL_STOP: c_int = 4;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

unsafe extern "C" fn visit(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: libgcc's context, and what `library` gave.
    let (address, walk) = unsafe { (_Unwind_GetIP(context), &mut *walk.cast::<Walk>()) };
    // A return address may be one past the end of the calling function.
    match object(std::ptr::without_provenance(address.wrapping_sub(1))) {
        Some(object) if object.dli_fbase == walk.own => NO_REASON,
        found => {
            walk.found = found;
            NORMAL_STOP
        }
    }
}

/// The file that an address is in.
fn object(address: *const c_void) -> Option<libc::Dl_info> {
    let mut object = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr reads any address and writes `object`, all of whose bytes
    // may be zero.
    unsafe { (libc::dladdr(address, object.as_mut_ptr()) != 0).then(|| object.assume_init()) }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::ffi::{c_int, c_void};
    use std::sync::Mutex;

    #[test]
    fn the_nearest_other_library_called() {
        static FOUND: Mutex<Option<String>> = Mutex::new(None);
        extern "C" fn compare(_: *const c_void, _: *const c_void) -> c_int {
            *FOUND.lock().unwrap() = super::library();
            Ordering::Equal as c_int
        }
        let mut values = [2u8, 1];
        // SAFETY: two elements of one byte.
        unsafe { libc::qsort(values.as_mut_ptr().cast(), 2, 1, Some(compare)) };
        assert_eq!(FOUND.lock().unwrap().as_deref(), Some("libc"));
    }
}
