//! A list to which any number of threads may add at once, and from which nothing is taken before it is dropped.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Values by their keys; zeroes are none. What was found stays where it is, so looking up needs no lock and no count.
#[repr(transparent)]
pub(super) struct Chain<T> {
    first: AtomicPtr<Link<T>>,
}

struct Link<T> {
    key: u64,
    value: T,
    /// Never changes once others can see the link.
    next: *mut Link<T>,
}

// SAFETY: a chain owns its values, and hands out shared references to them only.
unsafe impl<T: Send + Sync> Send for Chain<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Chain<T> {}

impl<T> Default for Chain<T> {
    fn default() -> Self {
        Self { first: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl<T> Chain<T> {
    fn links(&self, first: *mut Link<T>) -> impl Iterator<Item = &Link<T>> {
        let mut next = first;
        std::iter::from_fn(move || {
            // SAFETY: links are null or to what was added, which stays as long as `self`.
            let link = unsafe { next.as_ref() }?;
            next = link.next;
            Some(link)
        })
    }

    /// All values and their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.links(self.first.load(Ordering::Acquire)).map(|link| (link.key, &link.value))
    }

    /// The value with this key.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<&T> {
        self.iter().find(|(other, _)| *other == key).map(|(_, value)| value)
    }
}

impl<T: Default> Chain<T> {
    /// The value with this key, which is added now if there is none.
    #[inline]
    pub(super) fn at(&self, key: u64) -> &T {
        match self.find(key) {
            Some(value) => value,
            None => self.add(key),
        }
    }

    #[cold]
    fn add(&self, key: u64) -> &T {
        let new = Box::into_raw(Box::new(Link { key, value: T::default(), next: ptr::null_mut() }));
        loop {
            let first = self.first.load(Ordering::Acquire);
            if let Some(other) = self.links(first).find(|link| link.key == key) {
                // SAFETY: it came from a box, and nobody else has seen it.
                drop(unsafe { Box::from_raw(new) });
                return &other.value;
            }
            // SAFETY: nobody else has seen it.
            unsafe { (*new).next = first };
            let put = self.first.compare_exchange(first, new, Ordering::AcqRel, Ordering::Relaxed);
            if put.is_ok() {
                // SAFETY: it stays as long as `self`.
                return unsafe { &(*new).value };
            }
        }
    }
}

impl<T> Drop for Chain<T> {
    fn drop(&mut self) {
        let mut next = *self.first.get_mut();
        while !next.is_null() {
            // SAFETY: links came from boxes, and nobody uses the chain any more.
            let link = unsafe { Box::from_raw(next) };
            next = link.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_add_the_same_keys_get_the_same_values() {
        let chain: Chain<u8> = Chain::default();
        let addresses: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let add = || (0..100).map(|key| ptr::from_ref(chain.at(key)) as usize).collect();
            let started: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
            started.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(addresses.iter().all(|other| *other == addresses[0]));
        assert_eq!(chain.iter().count(), 100);
        assert!(chain.find(100).is_none());
    }
}
