//! One end of a copy: bytes somewhere.

use crate::memory::DeviceMemory;
use crate::registration::{Hold, Range};
use crate::status::{Outcome, Status};
use crate::transfer;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Where the bytes are. What it names stays alive until the copy is done.
pub(crate) enum Side {
    /// An address of a device.
    Device(Arc<DeviceMemory>, u64),
    /// A range of host memory that the driver knows, and where in it.
    Known(Arc<Range>, u64),
    /// Other memory of the host.
    Plain(u64),
    /// Bytes taken from such memory earlier.
    Snapshot(Vec<u8>),
}

/// The sort of memory, as far as a copy's speed depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    Device,
    Pinned,
    Pageable,
}

impl Side {
    /// What sort of memory it is; managed memory counts as the device's.
    pub(crate) fn sort(&self) -> Sort {
        match self {
            Side::Device(..) => Sort::Device,
            Side::Known(range, _) => match range.hold {
                Hold::Managed(_) => Sort::Device,
                Hold::Registered(_) | Hold::Allocated(_) => Sort::Pinned,
            },
            Side::Plain(_) | Side::Snapshot(_) => Sort::Pageable,
        }
    }

    /// Whether it is managed memory.
    pub(crate) fn managed(&self) -> bool {
        matches!(self, Side::Known(range, _) if matches!(range.hold, Hold::Managed(_)))
    }

    /// Whether nothing may be copied to here.
    pub(crate) fn read_only(&self) -> bool {
        matches!(self, Side::Known(range, _) if range.read_only)
    }

    /// The file that holds the bytes, and where, if a file does.
    pub(crate) fn file(&self, size: u64) -> Outcome<Option<(&File, u64)>> {
        match self {
            Side::Device(memory, address) => {
                let offset = memory.offset(*address, size).ok_or(Status::INVALID_VALUE)?;
                Ok(Some((memory.file(), offset)))
            }
            Side::Known(range, at) => match &range.hold {
                Hold::Managed(managed) => {
                    let (file, offset) = managed.file();
                    Ok(Some((file, offset + at)))
                }
                Hold::Registered(_) | Hold::Allocated(_) => Ok(None),
            },
            Side::Plain(_) | Side::Snapshot(_) => Ok(None),
        }
    }

    /// Copies what is not in a file, `skip` bytes from the beginning, to one.
    pub(crate) fn store(&self, skip: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        match self {
            Side::Known(range, at) => match &range.hold {
                Hold::Registered(pin) => pin.store(at + skip, size, file, offset),
                Hold::Allocated(memory) => {
                    transfer::store(memory.start() as u64 + at + skip, size, file, offset)
                }
                Hold::Managed(_) => Err(io::ErrorKind::InvalidInput.into()),
            },
            Side::Plain(address) => transfer::store(address + skip, size, file, offset),
            Side::Snapshot(bytes) => {
                file.write_all_at(&bytes[skip as usize..(skip + size) as usize], offset)
            }
            Side::Device(..) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Copies from a file to what is not in one.
    pub(crate) fn load(&self, skip: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        match self {
            Side::Known(range, at) => match &range.hold {
                Hold::Registered(pin) => pin.load(at + skip, size, file, offset),
                Hold::Allocated(memory) => {
                    transfer::load(memory.start() as u64 + at + skip, size, file, offset)
                }
                Hold::Managed(_) => Err(io::ErrorKind::InvalidInput.into()),
            },
            Side::Plain(address) => transfer::load(address + skip, size, file, offset),
            Side::Snapshot(_) | Side::Device(..) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}
