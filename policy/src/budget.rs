//! How much may be registered at a time.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A limit in bytes and what of it is taken.
#[derive(Debug)]
pub struct Budget {
    limit: AtomicU64,
    used: AtomicU64,
}

impl Budget {
    /// At most `limit` bytes at a time.
    pub const fn new(limit: u64) -> Budget {
        Budget { limit: AtomicU64::new(limit), used: AtomicU64::new(0) }
    }

    /// Another limit, for what is reserved from now on.
    pub fn set_limit(&self, limit: u64) {
        self.limit.store(limit, Relaxed);
    }

    /// The limit, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit.load(Relaxed)
    }

    /// Bytes reserved now.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Whether that much could ever be reserved.
    pub fn admits(&self, bytes: u64) -> bool {
        bytes <= self.limit()
    }

    /// Bytes that have to be released before `bytes` can be reserved.
    pub fn shortage(&self, bytes: u64) -> u64 {
        self.used().saturating_add(bytes).saturating_sub(self.limit())
    }

    /// Takes `bytes`, if there is room: before registering, so that threads
    /// together keep the limit.
    #[must_use]
    pub fn reserve(&self, bytes: u64) -> bool {
        let room = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.limit());
        self.used.fetch_update(Relaxed, Relaxed, room).is_ok()
    }

    /// Gives back what was reserved.
    pub fn release(&self, bytes: u64) {
        let _ = self.used.fetch_update(Relaxed, Relaxed, |used| Some(used.saturating_sub(bytes)));
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn no_more_than_the_limit() {
        let budget = Budget::new(100);
        assert!(budget.reserve(60) && !budget.reserve(41));
        assert_eq!((budget.shortage(50), budget.shortage(40)), (10, 0));
        assert!(budget.reserve(40));
        budget.release(60);
        assert_eq!(budget.used(), 40);
        assert!(budget.admits(100) && !budget.admits(101));
        budget.set_limit(30);
        assert!(!budget.reserve(1));
        assert!(!budget.reserve(u64::MAX));
    }

    #[test]
    fn threads_share_it() {
        let budget = Budget::new(1000);
        let taken: usize = std::thread::scope(|scope| {
            let take = || (0..500).filter(|_| budget.reserve(1)).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
        });
        assert_eq!((taken, budget.used()), (1000, 1000));
    }
}
