//! Handles: numbers that look like pointers and stand for values.

use crate::status::{Outcome, Status};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A number that nothing else in this process has.
pub(crate) fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The values of one kind, by handle. No handle is used twice, so that a
/// stale one is found out.
pub(crate) struct Table<T> {
    missing: Status,
    values: RwLock<HashMap<usize, Arc<T>>>,
}

impl<T> Table<T> {
    /// An empty table; `missing` is what an unknown handle gives.
    pub(crate) fn new(missing: Status) -> Table<T> {
        Table { missing, values: RwLock::default() }
    }

    /// Gives a value its handle.
    pub(crate) fn insert(&self, value: T) -> usize {
        let handle = 0x1000 + 16 * unique() as usize;
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.insert(handle, Arc::new(value));
        handle
    }

    /// The value of a handle.
    pub(crate) fn get(&self, handle: usize) -> Outcome<Arc<T>> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get(&handle).cloned().ok_or(self.missing)
    }

    /// The handle and value that `wanted` tells.
    pub(crate) fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<(usize, Arc<T>)> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let found = values.iter().find(|(_, value)| wanted(value))?;
        Some((*found.0, Arc::clone(found.1)))
    }

    /// Ends a handle; the value ends with its last user.
    pub(crate) fn remove(&self, handle: usize) -> Outcome<Arc<T>> {
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.remove(&handle).ok_or(self.missing)
    }

    /// Ends the handles of all values but those that `keep` wants.
    pub(crate) fn retain(&self, keep: impl Fn(&T) -> bool) {
        let mut ended = Vec::new();
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        values.retain(|_, value| {
            let stays = keep(value);
            if !stays {
                ended.push(Arc::clone(value));
            }
            stays
        });
        // What a value does when it ends must not meet the lock.
        drop(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_handle_is_found_out() {
        let table = Table::new(Status::INVALID_HANDLE);
        let first = table.insert(1);
        assert_eq!(*table.get(first).unwrap(), 1);
        assert_eq!(table.find(|value| *value == 1).map(|found| found.0), Some(first));
        assert!(table.find(|value| *value == 2).is_none());
        table.remove(first).unwrap();
        let second = table.insert(2);
        assert_ne!(first, second);
        assert_eq!(table.get(first), Err(Status::INVALID_HANDLE));
        table.retain(|value| *value != 2);
        assert_eq!(table.get(second), Err(Status::INVALID_HANDLE));
    }
}
