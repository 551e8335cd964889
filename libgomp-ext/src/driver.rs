//! The CUDA driver.

/// Whether this process can load one. It stays unloaded: libgomp does that
/// when the program first offloads.
pub(crate) fn present() -> bool {
    // SAFETY: runs the library's constructors, as libgomp's own plugin does.
    unsafe { cudarc::driver::sys::is_culib_present() }
}
