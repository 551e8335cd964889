//! What is known about one region, in 64 bits.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The unit of [`Account::lost`] in nanoseconds.
const UNIT: u64 = 16;
const LOST_BITS: u32 = 35;
const STAMP_BITS: u32 = 28;
const LOST: u64 = (1 << LOST_BITS) - 1;
const STAMP: u32 = (1 << STAMP_BITS) - 1;

/// A copy of the word; zero is a region that nothing is known about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Nanoseconds by which copies were or would have been slower without
    /// registration; saturates at nine minutes.
    pub(crate) lost: u64,
    /// Whether the region's class has learned that registering it paid.
    pub(crate) paid: bool,
    /// Count of copies in the process, wrapping: of the last one if the region
    /// is registered, else of the one that `lost` began with.
    pub(crate) stamp: u32,
}

impl Account {
    fn from_word(word: u64) -> Account {
        Account {
            lost: (word & LOST) * UNIT,
            paid: word >> LOST_BITS & 1 == 1,
            stamp: (word >> (LOST_BITS + 1)) as u32,
        }
    }

    fn to_word(self) -> u64 {
        let lost = self.lost.div_ceil(UNIT).min(LOST);
        lost | u64::from(self.paid) << LOST_BITS | u64::from(self.stamp & STAMP) << (LOST_BITS + 1)
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
    let distance = later.wrapping_sub(earlier) & STAMP;
    if distance > STAMP / 2 { 0 } else { distance }
}

#[cfg(test)]
mod tests {
    use super::{Account, AtomicU64, LOST, STAMP, UNIT, distance};

    #[test]
    fn a_word_keeps_all_three() {
        let word = AtomicU64::new(0);
        assert_eq!(Account::load(&word), Account::default());
        let account = Account { lost: 1600, paid: true, stamp: 77 };
        Account::update(&word, |_| account);
        assert_eq!(Account::update(&word, |old| Account { lost: u64::MAX, ..old }), account);
        let full = Account { lost: LOST * UNIT, ..account };
        assert_eq!(Account::load(&word), full);
        Account::stamp(&word, 78);
        assert_eq!(Account::load(&word), Account { stamp: 78, ..full });
    }

    #[test]
    fn even_the_smallest_loss_counts() {
        let word = AtomicU64::new(0);
        Account::update(&word, |old| Account { lost: old.lost + 1, ..old });
        assert_eq!(Account::load(&word).lost, UNIT);
    }

    #[test]
    fn stamps_wrap() {
        assert_eq!(distance(5, 9), 4);
        assert_eq!(distance(STAMP, 2), 3);
        assert_eq!(distance(9, 5), 0);
    }
}
