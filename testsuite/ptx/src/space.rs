//! State spaces and generic addresses (PTX ISA 5.1 and 6.4.1).

/// Where a variable lies, or an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Const,
    Shared,
    Local,
}

/// Lowest address that is never a device or host address.
pub const WINDOWS: u64 = SHARED_WINDOW;

/// Generic address of offset 0 of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x5000_0000_0000_0000;
/// Generic address of offset 0 of local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x6000_0000_0000_0000;
/// Address of the first function.
pub(crate) const CODE_WINDOW: u64 = 0x7000_0000_0000_0000;
/// First address behind the functions.
pub(crate) const CODE_END: u64 = 0x8000_0000_0000_0000;
/// Distance of the addresses of two functions.
pub(crate) const CODE_STEP: u64 = 16;

impl Space {
    /// The space called `name`, without its dot.
    pub(crate) fn named(name: &str) -> Option<Space> {
        Some(match name {
            "global" => Space::Global,
            "const" => Space::Const,
            "shared" => Space::Shared,
            "local" => Space::Local,
            _ => return None,
        })
    }

    /// What `cvta` adds to an address of this space.
    pub(crate) fn window(self) -> u64 {
        match self {
            Space::Generic | Space::Global | Space::Const => 0,
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
        }
    }

    /// The space that a generic address lies in; what is in no other window
    /// is global.
    pub(crate) fn of(address: u64) -> Space {
        match address {
            SHARED_WINDOW..LOCAL_WINDOW => Space::Shared,
            LOCAL_WINDOW..CODE_WINDOW => Space::Local,
            _ => Space::Global,
        }
    }
}
