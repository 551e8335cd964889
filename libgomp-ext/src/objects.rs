//! The program and its libraries, as they are loaded: their segments.

use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;

use offmem_registration::Range;

/// A segment of a loaded object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) range: Range,
    pub(crate) writable: bool,
    /// The part that is not writable any longer once it has been relocated.
    pub(crate) relocated: Option<Range>,
    /// The object's place in the order of loading; 0 is the program.
    pub(crate) object: usize,
}

/// Shows `f` all segments until it breaks off. It takes the dynamic linker's
/// lock, which this thread may have already, and allocates nothing; 20 objects
/// take about two microseconds.
pub(crate) fn each(f: &mut dyn FnMut(Segment) -> ControlFlow<()>) {
    let mut search = Search { f, object: 0 };
    // SAFETY: `visit` gets the search, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
}

/// How many objects are loaded.
pub(crate) fn count() -> usize {
    unsafe extern "C" fn add(_: *mut libc::dl_phdr_info, _: usize, count: *mut c_void) -> c_int {
        // SAFETY: the variable below.
        unsafe { *count.cast::<usize>() += 1 };
        0
    }
    let mut count = 0usize;
    // SAFETY: `add` gets the variable, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut count).cast()) };
    count
}

struct Search<'a> {
    f: &'a mut dyn FnMut(Segment) -> ControlFlow<()>,
    object: usize,
}

unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    search: *mut c_void,
) -> c_int {
    // SAFETY: the caller's search, and an object that stays while it is shown.
    let (search, info) = unsafe { (&mut *search.cast::<Search<'_>>(), &*info) };
    let headers = if info.dlpi_phnum == 0 {
        &[]
    } else {
        // SAFETY: the object's own table.
        unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) }
    };
    let place = |header: &libc::Elf64_Phdr| {
        Range::new((info.dlpi_addr + header.p_vaddr) as usize, header.p_memsz as usize)
    };
    let relocated = headers.iter().find(|it| it.p_type == libc::PT_GNU_RELRO).and_then(place);
    let object = search.object;
    search.object += 1;
    for header in headers.iter().filter(|it| it.p_type == libc::PT_LOAD) {
        let Some(range) = place(header) else { continue };
        let writable = header.p_flags & libc::PF_W != 0;
        let relocated = relocated.and_then(|it| it.intersection(range));
        if (search.f)(Segment { range, writable, relocated, object }).is_break() {
            return 1;
        }
    }
    0
}
