//! What a device says about itself ("Device Management").

use crate::option::Options;
use crate::rule::{Rule, Rules};

/// `cuDeviceGetName`.
pub(crate) const NAME: &str = "softcuda";

/// `cuDriverGetVersion`: CUDA 12.2.
pub(crate) const DRIVER_VERSION: i32 = 12020;

/// Registers of a multiprocessor.
const REGISTERS: i32 = 65536;

/// `cuDeviceGetAttribute`; nothing for an attribute that is not known.
///
/// Threads of a block, registers and multiprocessors are what libgomp computes
/// its default number of teams and threads from.
pub(crate) fn attribute(
    options: &Options,
    rules: &Rules,
    device: usize,
    attribute: i32,
) -> Option<i32> {
    Some(match attribute {
        // Threads, block and grid dimensions, shared and constant memory.
        1 => threads(options),
        2 | 3 => 1024,
        4 => 64,
        5 | 11 => i32::MAX,
        6 | 7 => 65535,
        8 => 48 << 10,
        9 => 64 << 10,
        // Warp size.
        10 => 32,
        // Registers of a block and of a multiprocessor.
        12 | 82 => REGISTERS,
        // Clock rates in kHz, bus width in bits, second-level cache.
        13 | 36 => 1_000_000,
        37 => 256,
        38 => 4 << 20,
        14 => 512,
        16 => i32::try_from(options.multiprocessors).unwrap_or(i32::MAX),
        // Copies overlap kernels; kernels overlap; copy engines.
        15 | 31 | 40 => 1,
        // Time-out, integrated, compute mode, ECC, TCC, multi-GPU board.
        17 | 18 | 20 | 32 | 35 | 84 => 0,
        // PCI bus, device and domain.
        33 => i32::try_from(device).unwrap_or(i32::MAX) + 1,
        34 | 50 => 0,
        39 => 2048,
        // Compute capability.
        75 => 7,
        76 => 0,
        81 => 96 << 10,
        // Maps host memory, unified addressing, registered memory at the
        // host's address.
        19 | 41 | 91 => 1,
        83 => i32::from(options.managed),
        88 => i32::from(options.reads_pageable()),
        89 => i32::from(options.concurrent()),
        78 | 90 => 0,
        99 => i32::from(options.host_register),
        // Through the host's page tables, and the host's direct access to
        // managed memory that is on the device: where both are coherent.
        100 | 101 => i32::from(options.host_page_tables),
        113 => i32::from(rules.check(Rule::ReadOnlyFlag).is_ok()),
        _ => return None,
    })
}

/// Most threads of a block, for the device and for each kernel.
pub(crate) fn threads(options: &Options) -> i32 {
    32 * i32::try_from(options.warps).unwrap_or(1)
}

/// `cuDeviceGetUuid`.
pub(crate) fn uuid(device: usize) -> [u8; 16] {
    let mut uuid = *b"softcuda\0\0\0\0\0\0\0\0";
    uuid[15] = u8::try_from(device).unwrap_or(u8::MAX);
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libgomp_finds_what_it_asks_for() {
        let options = Options::default();
        let rules = Rules::default();
        for number in [15, 19, 31, 20, 18, 13, 16, 12, 82, 10, 1, 39, 40] {
            assert!(attribute(&options, &rules, 0, number).is_some(), "{number}");
        }
        assert_eq!(attribute(&options, &rules, 0, 10), Some(32), "libgomp insists");
        assert_eq!(attribute(&options, &rules, 0, 9999), None);
    }

    #[test]
    fn attributes_follow_options() {
        let options = Options { pageable_access: true, warps: 32, ..Options::default() };
        let rules = Rules::parse("read-only-flag=801").unwrap();
        assert_eq!(attribute(&options, &rules, 0, 88), Some(1));
        assert_eq!(attribute(&options, &rules, 0, 1), Some(1024));
        assert_eq!(attribute(&options, &rules, 0, 113), Some(0));
        assert_ne!(uuid(0), uuid(1));
        let number = |options: &Options, number| attribute(options, &rules, 0, number).unwrap();
        let numbers = |options| [83, 89, 88, 100, 101].map(|each| number(&options, each));
        assert_eq!(numbers(Options::default()), [1, 1, 0, 0, 0]);
        let none = Options { managed: false, ..Options::default() };
        assert_eq!(numbers(none), [0, 0, 0, 0, 0]);
        let apart = Options { concurrent_managed: false, ..Options::default() };
        assert_eq!(numbers(apart), [1, 0, 0, 0, 0]);
        let coherent = Options { host_page_tables: true, ..Options::default() };
        assert_eq!(numbers(coherent), [1, 1, 1, 1, 1]);
    }
}
