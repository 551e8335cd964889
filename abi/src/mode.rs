/// The value of `-foffload-memory=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Mode {
    /// Nothing changes, neither in code nor at run time.
    None = 0,
    /// Host memory that takes part in offloading is page-locked.
    Pinned = 1,
    /// Host memory is valid on the device at the same address.
    Unified = 2,
}

impl Mode {
    /// All of them, in the order in which diagnostics list them.
    pub const ALL: [Mode; 3] = [Mode::None, Mode::Pinned, Mode::Unified];

    /// The option's value.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::None => "none",
            Mode::Pinned => "pinned",
            Mode::Unified => "unified",
        }
    }

    /// The mode with this option value.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode with this number in a [`Unit`](crate::Unit).
    pub fn from_number(number: usize) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| *mode as usize == number)
    }
}

#[cfg(test)]
mod tests {
    use super::Mode;

    #[test]
    fn names_and_numbers_are_inverse() {
        for mode in Mode::ALL {
            assert_eq!(Mode::from_name(mode.name()), Some(mode));
            assert_eq!(Mode::from_number(mode as usize), Some(mode));
        }
        assert_eq!(Mode::from_name("Pinned"), None);
        assert_eq!(Mode::from_number(3), None);
    }
}
