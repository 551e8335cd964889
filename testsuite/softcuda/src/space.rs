//! The unified address space: whose memory an address is.

use crate::memory::DeviceMemory;
use crate::registration::{Piece, Registrations};
use crate::side::Side;
use crate::status::{Outcome, Status};
use std::sync::Arc;

/// The memory of all devices and the known ranges of the host.
pub(crate) struct Space {
    pub(crate) devices: Vec<Arc<DeviceMemory>>,
    pub(crate) registrations: Registrations,
}

/// Which side of a copy an address may be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Memory that a device can reach.
    Device,
    /// Memory of the host.
    Host,
    /// Either.
    Any,
}

impl Space {
    /// The device that `address` belongs to, allocated or not.
    pub(crate) fn device(&self, address: u64) -> Option<usize> {
        self.devices.iter().position(|memory| memory.contains(address))
    }

    /// The parts of `[address, address + size)` with their sizes.
    pub(crate) fn sides(&self, address: u64, size: u64, place: Place) -> Outcome<Vec<(Side, u64)>> {
        if let Some(device) = self.device(address) {
            let memory = &self.devices[device];
            if place == Place::Host || memory.offset(address, size).is_none() {
                return Err(Status::INVALID_VALUE);
            }
            return Ok(vec![(Side::Device(Arc::clone(memory), address), size)]);
        }
        let pieces = self.registrations.pieces(address, size)?;
        if place == Place::Device && pieces.iter().any(|piece| piece.range.is_none()) {
            return Err(Status::INVALID_VALUE);
        }
        let side = |piece: Piece| match piece.range {
            Some(range) => (Side::Known(Arc::clone(&range), piece.start - range.start), piece.size),
            None => (Side::Plain(piece.start), piece.size),
        };
        Ok(pieces.into_iter().map(side).collect())
    }
}
