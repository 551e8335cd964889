//! What is known about one region, in 64 bits.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::class::Class;

/// The unit of [`Account::lost`] in nanoseconds.
const UNIT: u64 = 128;
const LOST_BITS: u32 = 32;
const LOST: u64 = (1 << LOST_BITS) - 1;
const PAID: u32 = LOST_BITS;
const CLASS: u32 = PAID + 1;
const STAMP: u32 = CLASS + Class::BITS;
const STAMP_MASK: u32 = (1 << (u64::BITS - STAMP)) - 1;

/// A copy of the word; zero is a region that nothing is known about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Nanoseconds by which copies were or would have been slower without
    /// registration; saturates at nine minutes.
    pub(crate) lost: u64,
    /// Whether the region's class has learned that registering it paid.
    pub(crate) paid: bool,
    /// The class, so that it can learn from the region's end, when nobody knows
    /// it any more.
    pub(crate) class: Class,
    /// Count of copies in the process, wrapping: of the last one if the region
    /// is registered, else of the one that `lost` began with.
    pub(crate) stamp: u32,
}

/// A loss as an account can keep it: rounded, by the number of the copy, so
/// that many small ones come to the right sum.
pub(crate) fn rounded(nanoseconds: u64, copy: u32) -> u64 {
    // A Weyl sequence: evenly spread over the unit.
    let dither = (u64::from(copy.wrapping_mul(0x9e37_79b1)) * UNIT) >> u32::BITS;
    (nanoseconds + dither) / UNIT * UNIT
}

impl Account {
    fn from_word(word: u64) -> Account {
        Account {
            lost: (word & LOST) * UNIT,
            paid: word >> PAID & 1 == 1,
            class: Class::from_bits((word >> CLASS) as u16),
            stamp: (word >> STAMP) as u32,
        }
    }

    fn to_word(self) -> u64 {
        let lost = self.lost.div_ceil(UNIT).min(LOST);
        let (class, stamp) = (u64::from(self.class.to_bits()), u64::from(self.stamp & STAMP_MASK));
        lost | u64::from(self.paid) << PAID | class << CLASS | stamp << STAMP
    }

    pub(crate) fn load(word: &AtomicU64) -> Account {
        Account::from_word(word.load(Relaxed))
    }

    /// Changes the stamp alone, unless another thread changes the word meanwhile.
    pub(crate) fn stamp(word: &AtomicU64, stamp: u32) {
        let old = word.load(Relaxed);
        let new = Account { stamp, ..Account::from_word(old) }.to_word();
        let _ = word.compare_exchange(old, new, Relaxed, Relaxed);
    }

    /// Changes the word; what it was before.
    pub(crate) fn update(word: &AtomicU64, change: impl Fn(Account) -> Account) -> Account {
        let change = |old| Some(change(Account::from_word(old)).to_word());
        let (Ok(old) | Err(old)) = word.fetch_update(Relaxed, Relaxed, change);
        Account::from_word(old)
    }
}

/// How many copies after `earlier` the copy `later` was; a distance of more
/// than half of what the stamps can count is one into the past: 0.
pub(crate) fn distance(earlier: u32, later: u32) -> u32 {
    let distance = later.wrapping_sub(earlier) & STAMP_MASK;
    if distance > STAMP_MASK / 2 { 0 } else { distance }
}

#[cfg(test)]
mod tests {
    use super::{Account, AtomicU64, Class, LOST, STAMP_MASK, UNIT, distance, rounded};

    #[test]
    fn a_word_keeps_all_three() {
        let word = AtomicU64::new(0);
        assert_eq!(Account::load(&word), Account::default());
        let account = Account { lost: 1280, paid: true, class: Class::new(7, 1 << 20), stamp: 77 };
        Account::update(&word, |_| account);
        assert_eq!(Account::update(&word, |old| Account { lost: u64::MAX, ..old }), account);
        let full = Account { lost: LOST * UNIT, ..account };
        assert_eq!(Account::load(&word), full);
        Account::stamp(&word, 78);
        assert_eq!(Account::load(&word), Account { stamp: 78, ..full });
    }

    #[test]
    fn small_losses_come_to_the_right_sum() {
        let sum: u64 = (0..100_000).map(|copy| rounded(3, copy)).sum();
        assert!((297_000..303_000).contains(&sum), "{sum}");
        assert_eq!(rounded(UNIT * 5, 77), UNIT * 5);
    }

    #[test]
    fn stamps_wrap() {
        assert_eq!(distance(5, 9), 4);
        assert_eq!(distance(STAMP_MASK, 2), 3);
        assert_eq!(distance(9, 5), 0);
    }
}
