//! This process's mappings, as the kernel knows them (proc(5), `maps`).

use core::ops::ControlFlow;

use offmem_registration::Range;

use crate::errno;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub(crate) range: Range,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// Of its file; 0 for anonymous memory.
    pub(crate) inode: u64,
    pub(crate) is_stack: bool,
}

/// Shows `f` the mappings by address, until it breaks off; none where the file
/// cannot be read. It allocates nothing and preserves `errno`, so that hooks may
/// use it; it costs about a microsecond for three mappings.
pub(crate) fn each(mut f: impl FnMut(Mapping) -> ControlFlow<()>) {
    // SAFETY: valid strings and buffers.
    errno::keep(|| unsafe {
        let file = libc::syscall(
            libc::SYS_openat,
            libc::AT_FDCWD,
            c"/proc/self/maps".as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        );
        if file >= 0 {
            read(
                |buffer| libc::syscall(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len()),
                &mut f,
            );
            libc::syscall(libc::SYS_close, file);
        }
    });
}

/// What the process may do with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Write all of it.
    Write,
    /// Read all of it, and write none.
    Read,
    /// More of a part than of another, or nothing.
    Mixed,
}

/// How the pages of `range` may be accessed now. As [`each`].
pub(crate) fn access(range: Range) -> Access {
    let mut reached = range.start;
    let mut access = None;
    each(|mapping| {
        if mapping.range.end <= reached {
            return ControlFlow::Continue(());
        }
        let part = match (mapping.writable, mapping.readable) {
            (true, _) => Access::Write,
            (false, true) => Access::Read,
            (false, false) => Access::Mixed,
        };
        let is_next = mapping.range.start <= reached && reached < range.end;
        if !is_next || access.is_some_and(|access| access != part) {
            return ControlFlow::Break(());
        }
        access = Some(part);
        reached = mapping.range.end;
        ControlFlow::Continue(())
    });
    access.filter(|_| reached >= range.end).unwrap_or(Access::Mixed)
}

/// Cuts what `source` gives into lines. A line's end may be missing: of a long
/// name nothing is needed.
fn read(
    mut source: impl FnMut(&mut [u8]) -> libc::c_long,
    f: &mut impl FnMut(Mapping) -> ControlFlow<()>,
) {
    let mut buffer = [0; 4096];
    let mut line = [0; 128];
    let mut length = 0;
    while let Ok(count @ 1..) = usize::try_from(source(&mut buffer)) {
        for byte in &buffer[..count] {
            if *byte != b'\n' {
                if let Some(place) = line.get_mut(length) {
                    *place = *byte;
                    length += 1;
                }
                continue;
            }
            let mapping = parse(&line[..length]);
            length = 0;
            if mapping.is_some_and(|mapping| f(mapping).is_break()) {
                return;
            }
        }
    }
}

/// `START-END PERMISSIONS OFFSET DEVICE INODE NAME`
fn parse(line: &[u8]) -> Option<Mapping> {
    // A name that was cut amid a character.
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&line[..error.valid_up_to()]).ok()?,
    };
    let mut words = text.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    let permissions = words.next()?;
    let inode = words.nth(2)?.parse().ok()?;
    Some(Mapping {
        range: Range { start, end },
        readable: permissions.starts_with('r'),
        writable: permissions.as_bytes().get(1) == Some(&b'w'),
        inode,
        is_stack: words.next() == Some("[stack]"),
    })
}

#[cfg(test)]
mod tests {
    use super::{Access, Mapping, access, each, parse, read};
    use core::ops::ControlFlow;
    use offmem_registration::{PAGE, Range};

    #[test]
    fn a_line_with_any_name() {
        let line = b"7f00-8000 rw-s 00000000 00:01 32769                  /SYSV00000000 (deleted)";
        let Mapping { range, readable, writable, inode, is_stack } = parse(line).expect("a line");
        assert_eq!(range, Range { start: 0x7f00, end: 0x8000 });
        assert!(readable && writable && inode == 32769 && !is_stack);
        let line = b"1000-2000 r-xp 00000000 00:01 7 /tmp/\xc3\xa4\xc3";
        let Mapping { readable, writable, inode, .. } = parse(line).expect("a line");
        assert!(readable && !writable && inode == 7);
        let line = b"1000-2000 ---p 00000000 00:00 0 ";
        assert!(parse(line).is_some_and(|mapping| !mapping.readable && !mapping.writable));
    }

    #[test]
    fn lines_come_in_any_pieces_and_may_be_long() {
        let name = "x".repeat(5000);
        let text = format!(
            "1000-2000 rw-p 00000000 00:00 0 /{name}\n2000-3000 ---p 00000000 00:00 0 \n\
             4000-5000 rw-p 00000000 00:00 0 [stack]\n"
        );
        for piece in [1, 7, 4096] {
            let mut rest = text.as_bytes();
            let mut found = Vec::new();
            let source = |buffer: &mut [u8]| {
                let count = piece.min(rest.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                rest = &rest[count..];
                count as libc::c_long
            };
            read(source, &mut |mapping| {
                found.push((mapping.range.start, mapping.writable, mapping.is_stack));
                ControlFlow::Continue(())
            });
            assert_eq!(
                found,
                [(0x1000, true, false), (0x2000, false, false), (0x4000, true, true)]
            );
        }
    }

    #[test]
    fn the_kernel_knows_this_variable() {
        static VARIABLE: u8 = 1;
        let place = (&raw const VARIABLE) as usize;
        let mut holds = 0;
        each(|mapping| {
            holds += usize::from(mapping.range.contains(Range { start: place, end: place + 1 }));
            ControlFlow::Continue(())
        });
        assert_eq!(holds, 1);
    }

    #[test]
    fn access_is_that_of_all_pages() {
        let protect = |place: usize, protection| {
            // SAFETY: pages of the mapping below.
            assert_eq!(unsafe { libc::mprotect(place as *mut _, PAGE, protection) }, 0);
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let place = unsafe { libc::mmap(core::ptr::null_mut(), 5 * PAGE, both, flags, -1, 0) };
        let start = place as usize;
        // Writable, read-only, read-only, without access, a hole.
        protect(start + PAGE, libc::PROT_READ);
        protect(start + 2 * PAGE, libc::PROT_READ);
        protect(start + 3 * PAGE, libc::PROT_NONE);
        // SAFETY: the mapping's last page.
        assert_eq!(unsafe { libc::munmap(place.wrapping_add(4 * PAGE), PAGE) }, 0);
        let of = |from: usize, to: usize| access(Range { start: start + from, end: start + to });
        assert_eq!(of(7, PAGE), Access::Write);
        assert_eq!(of(PAGE, 2 * PAGE + 1), Access::Read);
        assert_eq!(of(PAGE - 1, 2 * PAGE), Access::Mixed);
        assert_eq!(of(2 * PAGE, 3 * PAGE + 1), Access::Mixed);
        assert_eq!(of(3 * PAGE, 4 * PAGE), Access::Mixed);
        assert_eq!(of(3 * PAGE, 5 * PAGE), Access::Mixed);
        // SAFETY: the rest of it.
        assert_eq!(unsafe { libc::munmap(place, 4 * PAGE) }, 0);
    }
}
