//! Bytes copied between host and device.

use core::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the host to the device.
    To,
    /// From the device to the host.
    From,
}

/// Counts bytes; any thread may add at any time.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// By direction; pageable memory first, then page-locked memory.
    bytes: [[AtomicU64; 2]; 2],
}

/// Everything that this process copied, whether a report is wanted or not.
pub(crate) static TOTAL: Traffic = Traffic::new();

impl Traffic {
    pub(crate) const fn new() -> Traffic {
        Traffic { bytes: [const { [const { AtomicU64::new(0) }; 2] }; 2] }
    }

    /// Adds one copy. `pinned`: the host's memory was page-locked.
    pub(crate) fn add(&self, direction: Direction, bytes: u64, pinned: bool) {
        self.bytes[direction as usize][usize::from(pinned)].fetch_add(bytes, Ordering::Relaxed);
    }

    /// The sums up to now.
    pub(crate) fn read(&self) -> Bytes {
        let read = |direction: Direction, pinned: bool| {
            self.bytes[direction as usize][usize::from(pinned)].load(Ordering::Relaxed)
        };
        Bytes {
            bytes_to_device_pinned: read(Direction::To, true),
            bytes_to_device_pageable: read(Direction::To, false),
            bytes_from_device_pinned: read(Direction::From, true),
            bytes_from_device_pageable: read(Direction::From, false),
        }
    }
}

/// Bytes copied, by direction and by the kind of the host's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Bytes {
    pub(crate) bytes_to_device_pinned: u64,
    pub(crate) bytes_to_device_pageable: u64,
    pub(crate) bytes_from_device_pinned: u64,
    pub(crate) bytes_from_device_pageable: u64,
}

impl Bytes {
    /// To the device.
    pub(crate) fn to(&self) -> u64 {
        self.bytes_to_device_pinned + self.bytes_to_device_pageable
    }

    /// From the device.
    pub(crate) fn from(&self) -> u64 {
        self.bytes_from_device_pinned + self.bytes_from_device_pageable
    }

    /// Both ways.
    pub(crate) fn all(&self) -> u64 {
        self.to() + self.from()
    }

    /// The share of page-locked memory, from 0 to 1; nothing where nothing was
    /// copied.
    pub(crate) fn pinned_share(&self) -> Option<f64> {
        let pinned = self.bytes_to_device_pinned + self.bytes_from_device_pinned;
        (self.all() > 0).then(|| pinned as f64 / self.all() as f64)
    }

    /// Adds another's.
    pub(crate) fn add(&mut self, other: Bytes) {
        self.bytes_to_device_pinned += other.bytes_to_device_pinned;
        self.bytes_to_device_pageable += other.bytes_to_device_pageable;
        self.bytes_from_device_pinned += other.bytes_from_device_pinned;
        self.bytes_from_device_pageable += other.bytes_from_device_pageable;
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Direction, Traffic};

    #[test]
    fn each_copy_is_counted_once_in_its_place() {
        let traffic = Traffic::new();
        assert_eq!(traffic.read().pinned_share(), None);
        traffic.add(Direction::To, 1, true);
        traffic.add(Direction::To, 20, false);
        traffic.add(Direction::From, 300, true);
        traffic.add(Direction::From, 4000, false);
        traffic.add(Direction::From, 4000, false);
        let expected = Bytes {
            bytes_to_device_pinned: 1,
            bytes_to_device_pageable: 20,
            bytes_from_device_pinned: 300,
            bytes_from_device_pageable: 8000,
        };
        assert_eq!(traffic.read(), expected);
        assert_eq!((expected.to(), expected.from()), (21, 8300));
        assert_eq!(expected.pinned_share(), Some(301.0 / 8321.0));
    }
}
