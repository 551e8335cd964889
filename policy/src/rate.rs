//! An estimate of what a byte costs.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

const MIB: u64 = 1 << 20;

/// Samples before an estimate replaces the prior.
const BELIEVED: u64 = 3;

/// Bytes after which a sample has lost half of its weight.
const MEMORY: u64 = 64 * MIB;

/// Smaller samples say nothing: they are the cost of a call.
const LEAST: u64 = 64 << 10;

/// That cost in nanoseconds, about: it has no part in what a byte costs.
const CALL: u64 = 8_000;

/// On which side an estimate errs as long as too few samples are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caution {
    /// It believes any sample that is lower.
    Low,
    /// It believes any sample that is higher.
    High,
}

/// Nanoseconds for each MiB: the median of the last three samples, averaged
/// over bytes. Threads that sample at once may lose one of the samples.
#[derive(Debug)]
pub(crate) struct Rate {
    caution: Caution,
    estimate: AtomicU64,
    samples: AtomicU64,
    recent: [AtomicU32; 3],
}

impl Rate {
    /// `prior` in nanoseconds for each MiB.
    pub(crate) const fn new(prior: u64, caution: Caution) -> Rate {
        Rate {
            caution,
            estimate: AtomicU64::new(prior),
            samples: AtomicU64::new(0),
            recent: [const { AtomicU32::new(0) }; 3],
        }
    }

    /// What `bytes` cost, in nanoseconds.
    pub(crate) fn of(&self, bytes: u64) -> u64 {
        scale(self.estimate.load(Relaxed), bytes)
    }

    /// The estimate, in nanoseconds for each MiB.
    pub(crate) fn per_mib(&self) -> u64 {
        self.estimate.load(Relaxed)
    }

    /// Whether there has been any sample of at least a MiB.
    pub(crate) fn is_sampled(&self) -> bool {
        self.samples.load(Relaxed) > 0
    }

    /// Takes a sample.
    pub(crate) fn observe(&self, bytes: u64, nanoseconds: u64) {
        if bytes < LEAST {
            return;
        }
        let call = if bytes < MIB { CALL } else { 0 };
        let sample =
            u128::from(nanoseconds.saturating_sub(call)) * u128::from(MIB) / u128::from(bytes);
        let sample = u32::try_from(sample).unwrap_or(u32::MAX).max(1);
        let samples = self.samples.load(Relaxed);
        if samples < BELIEVED {
            match self.caution {
                Caution::Low => self.estimate.fetch_min(u64::from(sample), Relaxed),
                Caution::High if bytes >= MIB => {
                    self.estimate.fetch_max(u64::from(sample), Relaxed)
                }
                Caution::High => 0,
            };
        }
        if bytes < MIB {
            return;
        }
        self.recent[(samples % 3) as usize].store(sample, Relaxed);
        self.samples.store(samples + 1, Relaxed);
        let median = u64::from(self.median());
        if samples + 1 == BELIEVED {
            self.estimate.store(median, Relaxed);
        } else if samples >= BELIEVED {
            let (old, new) = (u128::from(self.estimate.load(Relaxed)), u128::from(median));
            let (memory, bytes) = (u128::from(MEMORY), u128::from(bytes));
            let mean = (old * memory + new * bytes) / (memory + bytes);
            self.estimate.store(mean as u64, Relaxed);
        }
    }

    fn median(&self) -> u32 {
        let [a, b, c] = [0, 1, 2].map(|i: usize| self.recent[i].load(Relaxed));
        a.min(b).max(a.max(b).min(c))
    }
}

/// `bytes` at so many nanoseconds for each MiB.
pub(crate) fn scale(per_mib: u64, bytes: u64) -> u64 {
    let product = u128::from(per_mib) * u128::from(bytes) / u128::from(MIB);
    u64::try_from(product).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{CALL, Caution, MIB, Rate};

    #[test]
    fn three_samples_are_believed() {
        let rate = Rate::new(100, Caution::Low);
        rate.observe(MIB, 300);
        rate.observe(MIB, 310);
        assert_eq!(rate.per_mib(), 100, "too few, and not lower");
        rate.observe(MIB, 320);
        assert_eq!(rate.per_mib(), 310);
        assert_eq!(rate.of(10 * MIB), 3100);
    }

    #[test]
    fn caution_believes_the_first_sample() {
        let low = Rate::new(100, Caution::Low);
        low.observe(MIB / 2, CALL + 20);
        assert_eq!(low.per_mib(), 40);
        assert!(!low.is_sampled());
        let high = Rate::new(100, Caution::High);
        high.observe(MIB / 2, 200);
        assert_eq!(high.per_mib(), 100, "small ones are too high as it is");
        high.observe(2 * MIB, 800);
        assert_eq!(high.per_mib(), 400);
    }

    #[test]
    fn an_outlier_changes_nothing() {
        let rate = Rate::new(100, Caution::Low);
        for _ in 0..5 {
            rate.observe(64 * MIB, 6400);
        }
        rate.observe(64 * MIB, 640_000_000);
        assert_eq!(rate.per_mib(), 100);
    }

    #[test]
    fn a_change_is_followed_by_bytes() {
        let rate = Rate::new(100, Caution::Low);
        for _ in 0..5 {
            rate.observe(MIB, 100);
        }
        for _ in 0..4 {
            rate.observe(MIB, 200);
        }
        assert!((100..110).contains(&rate.per_mib()), "{}", rate.per_mib());
        for _ in 0..8 {
            rate.observe(1 << 30, 200 << 10);
        }
        assert!((195..=200).contains(&rate.per_mib()), "{}", rate.per_mib());
    }

    #[test]
    fn small_samples_are_not_believed() {
        let rate = Rate::new(100, Caution::Low);
        for _ in 0..10 {
            rate.observe(MIB - 1, 1 << 30);
            rate.observe(100, 1);
        }
        assert_eq!(rate.per_mib(), 100);
    }
}
