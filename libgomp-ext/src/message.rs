//! Lines on standard error, each written whole, with neither allocation nor
//! stdio: they may come from anywhere in somebody's program.

use core::fmt::{self, Write};
use std::io;

use crate::environment::{self, Activation};

/// Tells the user something, unless `OFFMEM=quiet`.
pub(crate) fn say(what: fmt::Arguments<'_>) {
    if environment::activation() != Activation::Quiet {
        write_line(what);
    }
}

/// The program asked for more than is to be had here. It goes on as it would
/// without us, unless `OFFMEM=mandatory`: then it ends with status 1.
pub(crate) fn fall_short(what: fmt::Arguments<'_>) {
    if environment::activation() == Activation::Mandatory {
        fatal(format_args!("{what}; OFFMEM=mandatory ends the program"));
    }
    say(what);
}

/// There is nothing here to give the program more of, which is worth no line;
/// but `OFFMEM=mandatory` ends it.
pub(crate) fn do_without(what: fmt::Arguments<'_>) {
    if environment::activation() == Activation::Mandatory {
        fall_short(what);
    }
}

/// Ends the program with status 1 and a line, whatever `OFFMEM` says.
pub(crate) fn fatal(what: fmt::Arguments<'_>) -> ! {
    write_line(what);
    // SAFETY: what libgomp does on its own fatal errors.
    unsafe { libc::exit(libc::EXIT_FAILURE) }
}

/// Lines that the user asked for, whatever `OFFMEM` says; the first begins as
/// every message does.
pub(crate) fn print(lines: &str) {
    let mut rest = lines.as_bytes();
    while !rest.is_empty() {
        // SAFETY: the bytes are borrowed.
        let written = unsafe { libc::write(libc::STDERR_FILENO, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) => rest = &rest[written..],
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            // Who closed it does not want to read it.
            Err(_) => return,
        }
    }
}

/// Ends the program as glibc does when it finds its heap destroyed. `line` is
/// written as it is: nothing else can be relied upon.
pub(crate) fn abort(line: &[u8]) -> ! {
    // SAFETY: bytes that are there.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::abort()
    }
}

fn write_line(what: fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; 1024], length: 0 };
    // A message that does not fit is cut.
    let _ = write!(line, "libgomp-offmem: {what}");
    line.bytes[line.length] = b'\n';
    // SAFETY: the bytes up to `length`, and the newline, are initialised.
    let _ =
        unsafe { libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length + 1) };
}

struct Line {
    bytes: [u8; 1024],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // One byte is the newline's.
        let room = self.bytes.len() - 1 - self.length;
        let taken = text.len().min(room);
        self.bytes[self.length..self.length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use core::fmt::Write;

    #[test]
    fn a_long_line_is_cut_and_keeps_room_for_its_end() {
        let mut line = Line { bytes: [0; 1024], length: 0 };
        for _ in 0..300 {
            write!(line, "{}", 123_456).expect("never fails");
        }
        assert_eq!(line.length, 1023);
        assert!(line.bytes.starts_with(b"123456123456"));
    }
}
