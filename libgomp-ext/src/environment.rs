//! `OFFMEM` and `OFFMEM_STRATEGY`, read once. A setuid program's environment
//! belongs to somebody else, so there it is ignored (`secure_getenv`).

use core::ffi::{CStr, c_char};
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::message;

unsafe extern "C" {
    /// glibc's: null in a setuid program.
    fn secure_getenv(name: *const c_char) -> *mut c_char;
}

/// `OFFMEM=off|quiet|on|mandatory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// The library does nothing.
    Off,
    /// It says nothing.
    Quiet,
    /// The default.
    On,
    /// Where memory cannot be pinned, the program ends.
    Mandatory,
}

/// `OFFMEM_STRATEGY=auto|mlockall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// What suits the machine.
    Auto,
    /// Lock all memory, also beside a CUDA driver.
    Mlockall,
}

/// A variable, its valid values, and which of them is in effect: an index
/// counted from 1, 0 while it has not been read.
struct Variable<T: 'static> {
    name: &'static CStr,
    values: &'static [(&'static CStr, T)],
    default: u8,
    chosen: AtomicU8,
}

static ACTIVATION: Variable<Activation> = Variable {
    name: c"OFFMEM",
    values: &[
        (c"off", Activation::Off),
        (c"quiet", Activation::Quiet),
        (c"on", Activation::On),
        (c"mandatory", Activation::Mandatory),
    ],
    default: 3,
    chosen: AtomicU8::new(0),
};

static STRATEGY: Variable<Strategy> = Variable {
    name: c"OFFMEM_STRATEGY",
    values: &[(c"auto", Strategy::Auto), (c"mlockall", Strategy::Mlockall)],
    default: 1,
    chosen: AtomicU8::new(0),
};

/// The process's `OFFMEM`.
pub(crate) fn activation() -> Activation {
    ACTIVATION.get()
}

/// The process's `OFFMEM_STRATEGY`.
pub(crate) fn strategy() -> Strategy {
    STRATEGY.get()
}

impl<T: Copy> Variable<T> {
    fn get(&self) -> T {
        let mut chosen = self.chosen.load(Ordering::Relaxed);
        if chosen == 0 {
            // SAFETY: the name is a C string, and so is the value where there is one.
            let value = unsafe {
                let value = secure_getenv(self.name.as_ptr());
                if value.is_null() { None } else { Some(CStr::from_ptr(value)) }
            };
            // Set to nothing is not set.
            let value = value.filter(|value| !value.is_empty());
            let known = value.and_then(|value| self.number_of(value));
            chosen = known.unwrap_or(self.default);
            // Before the message, which asks for OFFMEM itself.
            self.chosen.store(chosen, Ordering::Relaxed);
            if let (Some(value), None) = (value, known) {
                self.refuse(value);
            }
        }
        self.values[usize::from(chosen) - 1].1
    }

    fn number_of(&self, value: &CStr) -> Option<u8> {
        (1..).zip(self.values).find(|(_, (name, _))| *name == value).map(|(number, _)| number)
    }

    fn refuse(&self, value: &CStr) {
        message::say(format_args!(
            "{}={} is not one of {}",
            self.name.to_string_lossy(),
            value.to_string_lossy(),
            List(self.values)
        ));
    }
}

/// The names of the values: "off, quiet, on, mandatory".
struct List<'a, T>(&'a [(&'static CStr, T)]);

impl<T> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, _)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", name.to_string_lossy())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ACTIVATION, List, STRATEGY};

    #[test]
    fn defaults_are_values() {
        assert_eq!(ACTIVATION.number_of(c"on"), Some(ACTIVATION.default));
        assert_eq!(STRATEGY.number_of(c"auto"), Some(STRATEGY.default));
        assert_eq!(ACTIVATION.number_of(c"ON"), None);
    }

    #[test]
    fn a_message_lists_the_values() {
        assert_eq!(List(ACTIVATION.values).to_string(), "off, quiet, on, mandatory");
    }
}
