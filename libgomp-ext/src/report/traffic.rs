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

/// How bytes come to the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// They are copied; the host's memory may be paged.
    Pageable,
    /// They are copied; the host's memory is page-locked.
    Pinned,
    /// They are not copied: both sides use the same memory.
    Shared,
}

/// Counts bytes; any thread may add at any time.
#[derive(Debug)]
pub(crate) struct Traffic {
    /// By direction and by [`Way`].
    bytes: [[AtomicU64; 3]; 2],
}

/// Everything that this process copied, whether a report is wanted or not.
pub(crate) static TOTAL: Traffic = Traffic::new();

impl Traffic {
    pub(crate) const fn new() -> Traffic {
        Traffic { bytes: [const { [const { AtomicU64::new(0) }; 3] }; 2] }
    }

    /// Adds one copy, or what saved one.
    pub(crate) fn add(&self, direction: Direction, bytes: u64, way: Way) {
        self.bytes[direction as usize][way as usize].fetch_add(bytes, Ordering::Relaxed);
    }

    /// The sums up to now.
    pub(crate) fn read(&self) -> Bytes {
        let read = |direction: Direction, way: Way| {
            self.bytes[direction as usize][way as usize].load(Ordering::Relaxed)
        };
        Bytes {
            bytes_to_device_pinned: read(Direction::To, Way::Pinned),
            bytes_to_device_pageable: read(Direction::To, Way::Pageable),
            bytes_from_device_pinned: read(Direction::From, Way::Pinned),
            bytes_from_device_pageable: read(Direction::From, Way::Pageable),
            bytes_to_device_shared: read(Direction::To, Way::Shared),
            bytes_from_device_shared: read(Direction::From, Way::Shared),
        }
    }
}

/// Bytes copied, or not copied because they are shared, by direction and by the
/// kind of the host's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Bytes {
    pub(crate) bytes_to_device_pinned: u64,
    pub(crate) bytes_to_device_pageable: u64,
    pub(crate) bytes_from_device_pinned: u64,
    pub(crate) bytes_from_device_pageable: u64,
    pub(crate) bytes_to_device_shared: u64,
    pub(crate) bytes_from_device_shared: u64,
}

impl Bytes {
    /// Copied to the device.
    pub(crate) fn to(&self) -> u64 {
        self.bytes_to_device_pinned + self.bytes_to_device_pageable
    }

    /// Copied from the device.
    pub(crate) fn from(&self) -> u64 {
        self.bytes_from_device_pinned + self.bytes_from_device_pageable
    }

    /// Copied both ways.
    pub(crate) fn all(&self) -> u64 {
        self.to() + self.from()
    }

    /// Not copied, both ways.
    pub(crate) fn shared(&self) -> u64 {
        self.bytes_to_device_shared + self.bytes_from_device_shared
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
        self.bytes_to_device_shared += other.bytes_to_device_shared;
        self.bytes_from_device_shared += other.bytes_from_device_shared;
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Direction, Traffic, Way};

    #[test]
    fn each_copy_is_counted_once_in_its_place() {
        let traffic = Traffic::new();
        assert_eq!(traffic.read().pinned_share(), None);
        traffic.add(Direction::To, 1, Way::Pinned);
        traffic.add(Direction::To, 20, Way::Pageable);
        traffic.add(Direction::From, 300, Way::Pinned);
        traffic.add(Direction::From, 4000, Way::Pageable);
        traffic.add(Direction::From, 4000, Way::Pageable);
        traffic.add(Direction::To, 50_000, Way::Shared);
        traffic.add(Direction::From, 600_000, Way::Shared);
        let expected = Bytes {
            bytes_to_device_pinned: 1,
            bytes_to_device_pageable: 20,
            bytes_from_device_pinned: 300,
            bytes_from_device_pageable: 8000,
            bytes_to_device_shared: 50_000,
            bytes_from_device_shared: 600_000,
        };
        assert_eq!(traffic.read(), expected);
        assert_eq!((expected.to(), expected.from(), expected.shared()), (21, 8300, 650_000));
        assert_eq!(expected.pinned_share(), Some(301.0 / 8321.0));
    }
}
