//! Which library called the driver.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::path::Path;

/// The name, without `.so` and what follows it, of the file that holds the
/// nearest frame that is not the driver's: `libgomp-plugin-nvptx`, or a
/// program's name.
pub(crate) fn library() -> Option<String> {
    // A return address may be one past the end of the calling function.
    let address = offmem_caller::caller().checked_sub(1)?;
    let mut object = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr reads any address and writes `object`, all of whose bytes
    // may be zero; the caller's file stays loaded while its frame lives.
    let path = unsafe {
        let address: *const c_void = std::ptr::without_provenance(address);
        if libc::dladdr(address, object.as_mut_ptr()) == 0 {
            return None;
        }
        CStr::from_ptr(object.assume_init().dli_fname).to_string_lossy()
    };
    let file = Path::new(&*path).file_name()?.to_string_lossy().into_owned();
    Some(file.split_once(".so").map_or(file.as_str(), |(stem, _)| stem).to_owned())
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
