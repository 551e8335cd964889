//! The `OFFMEM…` variables, each read once. A setuid program's environment
//! belongs to somebody else, so there it is ignored (`secure_getenv`).

use core::ffi::{CStr, c_char};
use core::fmt;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use offmem_abi::Mode;

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

/// `OFFMEM_STRATEGY=auto|register|mlockall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// What suits the machine.
    Auto,
    /// Register with the CUDA driver or not at all.
    Register,
    /// Lock all memory, also beside a CUDA driver.
    Mlockall,
}

/// `OFFMEM_POLICY=adaptive|eager|per-map`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Register a block when that has paid.
    Adaptive,
    /// Register a block when it is first mapped.
    Eager,
    /// Register what is mapped for as long as it is, as GCC's branches do.
    PerMap,
}

/// `OFFMEM_PREFETCH=on|off`.
static PREFETCH: Variable<bool> = Variable {
    name: c"OFFMEM_PREFETCH",
    values: &[(c"on", true), (c"off", false)],
    default: 1,
    chosen: AtomicU8::new(0),
};

/// `OFFMEM_MEMORY=none|pinned|unified`.
static MEMORY: Variable<Mode> = Variable {
    name: c"OFFMEM_MEMORY",
    values: &[(c"none", Mode::None), (c"pinned", Mode::Pinned), (c"unified", Mode::Unified)],
    default: 1,
    chosen: AtomicU8::new(0),
};

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
    values: &[
        (c"auto", Strategy::Auto),
        (c"register", Strategy::Register),
        (c"mlockall", Strategy::Mlockall),
    ],
    default: 1,
    chosen: AtomicU8::new(0),
};

static POLICY: Variable<Policy> = Variable {
    name: c"OFFMEM_POLICY",
    values: &[
        (c"adaptive", Policy::Adaptive),
        (c"eager", Policy::Eager),
        (c"per-map", Policy::PerMap),
    ],
    default: 1,
    chosen: AtomicU8::new(0),
};

static MIN_SIZE: Size = Size { name: c"OFFMEM_MIN_SIZE", value: AtomicU64::new(UNREAD) };
static LIMIT: Size = Size { name: c"OFFMEM_LIMIT", value: AtomicU64::new(UNREAD) };
static UNIFIED_POOL: Size = Size { name: c"OFFMEM_UNIFIED_POOL", value: AtomicU64::new(UNREAD) };

/// The process's `OFFMEM`.
pub(crate) fn activation() -> Activation {
    ACTIVATION.get()
}

/// The process's `OFFMEM_STRATEGY`.
pub(crate) fn strategy() -> Strategy {
    STRATEGY.get()
}

/// The process's `OFFMEM_POLICY`.
pub(crate) fn policy() -> Policy {
    POLICY.get()
}

/// `OFFMEM_MEMORY`: the mode of a program no unit of which asks for one.
pub(crate) fn memory() -> Mode {
    MEMORY.get()
}

/// `OFFMEM_MIN_SIZE`, in bytes: smaller blocks are left alone.
pub(crate) fn min_size() -> Option<u64> {
    match MIN_SIZE.get() {
        Some(Amount::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

/// `OFFMEM_LIMIT`: how much may be registered at a time.
pub(crate) fn limit() -> Option<Amount> {
    LIMIT.get()
}

/// `OFFMEM_UNIFIED_POOL`: how much unified memory may be allocated at a time.
pub(crate) fn unified_pool() -> Option<Amount> {
    UNIFIED_POOL.get()
}

/// `OFFMEM_PREFETCH`: whether the driver is told where unified memory is wanted.
pub(crate) fn prefetches() -> bool {
    PREFETCH.get()
}

/// Whether `OMP_TARGET_OFFLOAD` is `disabled`, in any case.
pub(crate) fn offloads_to_host() -> bool {
    text(c"OMP_TARGET_OFFLOAD")
        .is_some_and(|value| value.to_bytes().trim_ascii().eq_ignore_ascii_case(b"disabled"))
}

/// `OFFMEM_REPORT`: 1 for standard error, or a file's name.
pub(crate) fn report() -> Option<&'static CStr> {
    text(c"OFFMEM_REPORT").filter(|value| *value != c"0")
}

/// A variable of the job's launcher.
pub(crate) fn job(name: &CStr) -> Option<&'static str> {
    text(name)?.to_str().ok()
}

/// Whether the environment can be read: libc is there before it.
pub(crate) fn is_ready() -> bool {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: libc's variable, which only the program writes.
    unsafe { !environ.is_null() }
}

/// A variable's value; set to nothing is not set.
fn text(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the name is a C string, and so is the value where there is one;
    // it stays unless the program changes the variable.
    let value = unsafe {
        let value = secure_getenv(name.as_ptr());
        if value.is_null() { None } else { Some(CStr::from_ptr(value)) }
    };
    value.filter(|value| !value.is_empty())
}

/// An amount of memory, such as `64M` or `25%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// Bytes.
    Bytes(u64),
    /// A share of the machine's memory, from 0 to 100.
    Percent(u64),
}

impl Amount {
    /// A number with K, M, G, T (powers of 1024) or % behind it, or nothing.
    fn parse(text: &str) -> Option<Amount> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = text[..digits].parse().ok()?;
        let shift = match &text[digits..] {
            "" => 0,
            "K" | "k" => 10,
            "M" | "m" => 20,
            "G" | "g" => 30,
            "T" | "t" => 40,
            "%" => return (number <= 100).then_some(Amount::Percent(number)),
            _ => return None,
        };
        number.checked_mul(1 << shift).filter(|bytes| *bytes < PERCENT).map(Amount::Bytes)
    }
}

/// A variable that is an amount.
struct Size {
    name: &'static CStr,
    /// One of the three below, bytes, or [`PERCENT`] and a share.
    value: AtomicU64,
}

const UNREAD: u64 = u64::MAX;
const UNSET: u64 = u64::MAX - 1;
const PERCENT: u64 = 1 << 62;

impl Size {
    fn get(&self) -> Option<Amount> {
        let mut value = self.value.load(Ordering::Relaxed);
        if value == UNREAD {
            let text = text(self.name);
            let amount = text.and_then(|text| Amount::parse(text.to_str().ok()?));
            value = match amount {
                None => UNSET,
                Some(Amount::Bytes(bytes)) => bytes,
                Some(Amount::Percent(share)) => PERCENT + share,
            };
            self.value.store(value, Ordering::Relaxed);
            if let (Some(text), None) = (text, amount) {
                message::say(format_args!(
                    "{}={} is not a size: a number of bytes, with K, M, G or T behind it, or a \
                     percentage of memory such as 25%",
                    self.name.to_string_lossy(),
                    text.to_string_lossy()
                ));
            }
        }
        match value {
            UNSET => None,
            share if share >= PERCENT => Some(Amount::Percent(share - PERCENT)),
            bytes => Some(Amount::Bytes(bytes)),
        }
    }
}

impl<T: Copy> Variable<T> {
    fn get(&self) -> T {
        let mut chosen = self.chosen.load(Ordering::Relaxed);
        if chosen == 0 {
            let value = text(self.name);
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
    use super::{ACTIVATION, Amount, List, MEMORY, POLICY, STRATEGY};
    use offmem_abi::Mode;

    #[test]
    fn defaults_are_values() {
        assert_eq!(ACTIVATION.number_of(c"on"), Some(ACTIVATION.default));
        assert_eq!(STRATEGY.number_of(c"auto"), Some(STRATEGY.default));
        assert_eq!(POLICY.number_of(c"adaptive"), Some(POLICY.default));
        assert_eq!(ACTIVATION.number_of(c"ON"), None);
    }

    #[test]
    fn memory_has_the_options_values() {
        assert_eq!(MEMORY.values[usize::from(MEMORY.default) - 1].1, Mode::None);
        for (name, mode) in MEMORY.values {
            assert_eq!(name.to_str(), Ok(mode.name()));
        }
        assert_eq!(MEMORY.values.len(), Mode::ALL.len());
    }

    #[test]
    fn amounts() {
        assert_eq!(Amount::parse("4096"), Some(Amount::Bytes(4096)));
        assert_eq!(Amount::parse("64M"), Some(Amount::Bytes(64 << 20)));
        assert_eq!(Amount::parse("25%"), Some(Amount::Percent(25)));
        for bad in ["", "-1", "M", "1.5G", "101%", "64MB", "99999999999999999999", "9999999T"] {
            assert_eq!(Amount::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_message_lists_the_values() {
        assert_eq!(List(ACTIVATION.values).to_string(), "off, quiet, on, mandatory");
    }
}
