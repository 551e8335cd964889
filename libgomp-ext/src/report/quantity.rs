//! Amounts as people read them.

use core::fmt;

/// Bytes in binary units, with one decimal: `1.5 MiB`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub(crate) u64);

/// Nanoseconds, with one decimal in a fitting unit: `31.2 ms`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time(pub(crate) u64);

/// A share from 0 to 1 in percent, rounded down, so that `100 %` is all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub(crate) Option<f64>);

/// The amount in the largest of `units` in which it is at least 1; each is
/// `step` of the one before.
fn scaled(f: &mut fmt::Formatter<'_>, amount: u64, step: f64, units: [&str; 5]) -> fmt::Result {
    let mut value = amount as f64;
    let mut unit = 0;
    // What would be printed as a whole step is one of the next unit.
    while value >= step - 0.05 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    if unit == 0 {
        return f.pad(&format!("{amount} {}", units[0]));
    }
    f.pad(&format!("{value:.1} {}", units[unit]))
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB"])
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0, 1000.0, ["ns", "us", "ms", "s", "ks"])
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(share) => f.pad(&format!("{} %", (share * 100.0) as u64)),
            None => f.pad("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Share, Size, Time};

    #[test]
    fn sizes_have_binary_units() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (3 << 29, "1.5 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(Size(bytes).to_string(), text);
        }
    }

    #[test]
    fn times_have_decimal_units() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1000, "1.0 us"),
            (999_999, "1.0 ms"),
            (31_234_567, "31.2 ms"),
        ] {
            assert_eq!(Time(ns).to_string(), text);
        }
    }

    #[test]
    fn only_all_is_a_hundred_percent() {
        assert_eq!(Share(Some(0.9999)).to_string(), "99 %");
        assert_eq!(Share(Some(1.0)).to_string(), "100 %");
        assert_eq!(Share(None).to_string(), "-");
    }
}
