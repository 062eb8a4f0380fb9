//! Many values of one kind side by side, in memory that is zero and untouched until it is used.
//!
//! The shadow of a large array is as large as a part of it, and what the operating system takes for giving
//! it out in pages of 4096 bytes is more than what the detector takes for using it. So it is asked for much
//! at a time, and in large pages.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// What may begin as zeros.
///
/// # Safety
///
/// All bytes zero must be a valid value.
pub(super) unsafe trait BeginsAsZeros {}

/// Values that stay where they are.
pub(super) struct Slabs<T: BeginsAsZeros> {
    slabs: Vec<Slab>,
    places: Vec<NonNull<T>>,
    /// Where the next value goes, and how many more there is room for.
    next: NonNull<T>,
    room: usize,
    bytes: usize,
}

enum Slab {
    Small(NonNull<u8>, Layout),
    Large(memmap2::MmapMut),
}

/// From so many bytes on, a slab is asked from the operating system.
const LARGE: usize = 1 << 18;
const LARGEST: usize = 1 << 23;

// SAFETY: the values are owned by it, and are reached through it only.
unsafe impl<T: BeginsAsZeros + Send> Send for Slabs<T> {}

impl<T: BeginsAsZeros> Default for Slabs<T> {
    fn default() -> Self {
        let next = NonNull::dangling();
        Slabs { slabs: Vec::new(), places: Vec::new(), next, room: 0, bytes: 0 }
    }
}

impl<T: BeginsAsZeros> Slabs<T> {
    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds a value of zeros. Returns its number.
    pub(super) fn add(&mut self) -> usize {
        if self.room == 0 {
            self.grow();
        }
        self.places.push(self.next);
        self.room -= 1;
        // SAFETY: it is within the slab, or one behind its end.
        self.next = unsafe { self.next.add(1) };
        self.places.len() - 1
    }

    /// A value by its number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &T {
        // SAFETY: the place is in a slab that lives as long as this, aligned, and began as zeros. Nobody
        // changes it while this is borrowed.
        unsafe { self.places[number].as_ref() }
    }

    /// A value by its number.
    #[inline]
    pub(super) fn get_mut(&mut self, number: usize) -> &mut T {
        // SAFETY: as in `get`; and all places are different.
        unsafe { self.places[number].as_mut() }
    }

    /// All values.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Bytes of memory, with what is not used yet.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.places.capacity() * size_of::<NonNull<T>>()
    }

    #[cold]
    fn grow(&mut self) {
        // Little is wasted if each slab is a small part of all.
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= 4096) };
        let count = (self.len() / 8).min(LARGEST / size_of::<T>()).max(1);
        let Ok(layout) = Layout::array::<T>(count) else { handle_alloc_error(Layout::new::<T>()) };
        let mut slab = Slab::new(layout);
        self.next = slab.start().cast();
        self.room = count;
        self.bytes += layout.size();
        self.slabs.push(slab);
    }
}

impl<T: BeginsAsZeros> Drop for Slabs<T> {
    fn drop(&mut self) {
        if std::mem::needs_drop::<T>() {
            for place in &self.places {
                // SAFETY: each value is dropped once, before its memory is given back.
                unsafe { place.drop_in_place() };
            }
        }
    }
}

impl Slab {
    fn new(layout: Layout) -> Slab {
        if layout.size() >= LARGE
            && let Ok(memory) = memmap2::MmapMut::map_anon(layout.size())
        {
            #[cfg(target_os = "linux")]
            {
                // It is faster if there are large pages, and right if there are none.
                let _ = memory.advise(memmap2::Advice::HugePage);
            }
            return Slab::Large(memory);
        }
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        Slab::Small(start.unwrap_or_else(|| handle_alloc_error(layout)), layout)
    }

    fn start(&mut self) -> NonNull<u8> {
        match self {
            Slab::Small(start, _) => *start,
            // A mapping begins at a page, which is aligned for everything. All of it is pointed into, not only
            // its first byte.
            Slab::Large(memory) => NonNull::from(&mut memory[..]).cast(),
        }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        if let Slab::Small(start, layout) = self {
            // SAFETY: it was allocated with this layout, and nothing points into it any more.
            unsafe { dealloc(start.as_ptr(), *layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    struct Value([u64; 100], Option<Arc<()>>);

    // SAFETY: numbers may be zero, and no reference is a null pointer.
    unsafe impl BeginsAsZeros for Value {}

    #[test]
    fn values_begin_as_zeros_stay_where_they_are_and_are_dropped() {
        let mut slabs = Slabs::<Value>::default();
        let shared = Arc::new(());
        let first = slabs.add();
        let place: *const Value = slabs.get(first);
        for number in 1..20_000u64 {
            let index = slabs.add();
            let value = slabs.get_mut(index);
            assert!(value.0.iter().all(|word| *word == 0) && value.1.is_none());
            value.0[99] = number;
            value.1 = Some(Arc::clone(&shared));
        }
        assert!(slabs.slabs.iter().any(|slab| matches!(slab, Slab::Large(_))));
        assert_eq!(place, &raw const *slabs.get(first));
        assert!(slabs.iter().enumerate().all(|(number, value)| value.0[99] == number as u64));
        let used = 20_000 * size_of::<Value>();
        assert!((used..used * 5 / 4).contains(&slabs.bytes()), "{}", slabs.bytes());
        assert_eq!(Arc::strong_count(&shared), 20_000);
        drop(slabs);
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}
