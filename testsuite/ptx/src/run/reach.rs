//! From the address of an access to host memory.

use super::local::Local;
use crate::instruction::Place;
use crate::memory::{Access, Memory};
use crate::shared::Arena;
use crate::space::{CODE_END, CODE_WINDOW, Space, WINDOWS};

/// All memory that a warp can address.
pub(super) struct Reach<'a> {
    pub(super) memory: &'a dyn Memory,
    pub(super) shared: &'a mut Arena,
    pub(super) local: &'a mut Local,
}

/// What an instruction does, for messages.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    Load,
    Store,
    Atomic,
}

impl Deed {
    fn access(self) -> Access {
        match self {
            Deed::Load => Access::Read,
            Deed::Store | Deed::Atomic => Access::Write,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Deed::Load => "load",
            Deed::Store => "store",
            Deed::Atomic => "atomic operation",
        }
    }
}

/// Whether the access is to memory of which each lane has its own.
pub(super) fn is_local(place: &Place, address: u64) -> bool {
    match place.space {
        Space::Local => true,
        Space::Generic => address >= WINDOWS && Space::of(address) == Space::Local,
        _ => false,
    }
}

impl Reach<'_> {
    /// Host address of what a lane accesses at `address`, or why it may not.
    #[inline(always)]
    pub(super) fn pointer(
        &mut self,
        place: &Place,
        address: u64,
        lane: usize,
        deed: Deed,
    ) -> Result<*mut u8, String> {
        let aligned = address & ((1 << place.alignment) - 1) == 0;
        let is_global = match place.space {
            Space::Generic | Space::Global | Space::Const => address < WINDOWS,
            Space::Shared | Space::Local => false,
        };
        if aligned && is_global {
            let pointer = self.memory.reach(address, place.width.bytes(), deed.access());
            if !pointer.is_null() {
                return Ok(pointer);
            }
        }
        self.elsewhere(place, address, lane, deed)
    }

    #[inline(never)]
    fn elsewhere(
        &mut self,
        place: &Place,
        address: u64,
        lane: usize,
        deed: Deed,
    ) -> Result<*mut u8, String> {
        let size = place.width.bytes();
        let refused = |reason: &str| {
            let deed = deed.name();
            let bytes = if size == 1 { "byte" } else { "bytes" };
            Err(format!("{deed} of {size} {bytes} at {address:#x}: {reason}"))
        };
        if address & ((1 << place.alignment) - 1) != 0 {
            return refused(&format!("not aligned to {}", 1 << place.alignment));
        }
        let space = match place.space {
            Space::Generic => Space::of(address),
            space => space,
        };
        // In instructions that name the space, addresses are offsets.
        let window = if place.space == Space::Generic { space.window() } else { 0 };
        let offset = address - window;
        match space {
            Space::Shared => match self.shared.reach(offset, size) {
                Some(pointer) => Ok(pointer),
                None => refused("outside of all shared variables"),
            },
            Space::Local => match self.local.reach(lane, offset, size) {
                Some(pointer) => Ok(pointer),
                None => refused("outside of all local variables"),
            },
            _ if (CODE_WINDOW..CODE_END).contains(&address) => refused("a function, not data"),
            _ if address >= WINDOWS => refused("no global address"),
            _ => match self.memory.translate(
                address,
                if place.word { 1 } else { size },
                deed.access(),
            ) {
                Ok(pointer) => Ok(pointer),
                Err(refusal) => refused(&refusal.0),
            },
        }
    }

    /// The byte at a generic address.
    pub(super) fn byte(&mut self, address: u64, lane: usize) -> Result<u8, String> {
        let place = Place::generic(crate::types::Width::One);
        let pointer = self.pointer(&place, address, lane, Deed::Load)?;
        // SAFETY: `pointer` gives what may be read.
        Ok(unsafe { super::cell::load(pointer, place.width) } as u8)
    }
}
