//! Tables of opaque handles.

use std::collections::BTreeMap;

/// Values behind handles that look like pointers and are never followed. Handles are numbered in
/// order of creation, so that they repeat from run to run, and are not used twice.
pub struct HandleTable<T> {
    values: BTreeMap<usize, T>,
    next: usize,
}

/// The first handle. Small numbers have meanings of their own (`cudaStreamPerThread` is 2).
const FIRST_HANDLE: usize = 0x1000;
/// Handles keep the alignment that a pointer to a structure would have.
const HANDLE_STEP: usize = 16;

impl<T> Default for HandleTable<T> {
    fn default() -> Self {
        HandleTable { values: BTreeMap::new(), next: FIRST_HANDLE }
    }
}

impl<T> HandleTable<T> {
    /// Adds a value, and gives its handle.
    pub fn insert(&mut self, value: T) -> usize {
        let handle = self.next;
        self.next += HANDLE_STEP;
        self.values.insert(handle, value);
        handle
    }

    /// The value behind a handle.
    pub fn get(&self, handle: usize) -> Option<&T> {
        self.values.get(&handle)
    }

    /// The value behind a handle, to change it.
    pub fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        self.values.get_mut(&handle)
    }

    /// Takes a value away.
    pub fn remove(&mut self, handle: usize) -> Option<T> {
        self.values.remove(&handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_handle_is_not_given_out_again() {
        let mut table = HandleTable::default();
        let first = table.insert("first");
        assert_eq!(table.remove(first), Some("first"));
        let second = table.insert("second");
        assert_ne!(first, second);
        assert_eq!(table.get(first), None);
        assert_eq!(table.get(second), Some(&"second"));
    }
}
