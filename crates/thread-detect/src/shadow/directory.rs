//! From an address to the slot of its word.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::slot::Slot;
use crate::spin::SpinLock;
use crate::storage::Storage;

/// Bits of an address that choose in one level. Three levels cover 48 bits, the last three of which are within a word.
const LEVEL_BITS: u32 = 16;
const ENTRIES: usize = 1 << LEVEL_BITS;
const SLOTS: usize = ENTRIES / 8;

/// The addresses that a leaf of the table is for.
pub(super) const LEAF_BYTES: u64 = 1 << LEVEL_BITS;

/// The slots of 64 KiB of addresses.
#[repr(transparent)]
pub(super) struct Leaf([Slot; SLOTS]);

impl Leaf {
    /// The slot of the word at an address that is within the leaf.
    #[inline(always)]
    pub(super) fn slot(&self, address: u64) -> &Slot {
        &self.0[address as usize % ENTRIES / 8]
    }

    /// The slots of the word at an address that is within the leaf, and of the next one; none if that is in another leaf.
    #[inline(always)]
    pub(super) fn pair(&self, address: u64) -> Option<&[Slot; 2]> {
        self.0[address as usize % ENTRIES / 8..].first_chunk()
    }

    /// The slots of words from that of `start`, which is within the leaf, to that of the last address before `end`.
    pub(super) fn slots(&self, start: u64, end: u64) -> std::slice::Iter<'_, Slot> {
        let first = start % LEAF_BYTES;
        let first_slot = (first / 8) as usize;
        let behind = (first + (end - start)).div_ceil(8) as usize;
        self.0[first_slot..behind].iter()
    }
}

type Middle = [AtomicPtr<Leaf>; ENTRIES];
type Root = [AtomicPtr<Middle>; ENTRIES];

/// The table. All its parts are zero when they are new, and stay until it is dropped.
pub(super) struct Directory {
    storage: Arc<dyn Storage>,
    root: NonNull<Root>,
    /// All other tables, so that who drops this need not look for them.
    made: SpinLock<Vec<(NonNull<u8>, Layout)>>,
    bytes: AtomicU64,
}

// SAFETY: the table is only changed through atomic operations.
unsafe impl Send for Directory {}
// SAFETY: as above.
unsafe impl Sync for Directory {}

impl Directory {
    /// No address from here on has a slot.
    pub(super) const END: u64 = 1 << (3 * LEVEL_BITS);

    pub(super) fn new(storage: Arc<dyn Storage>) -> Option<Self> {
        let root = storage.allocate(Layout::new::<Root>())?.cast::<Root>();
        Some(Self {
            storage,
            root,
            made: SpinLock::default(),
            bytes: AtomicU64::new(size_of::<Root>() as u64),
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn root(&self) -> &Root {
        // SAFETY: it lives as long as `self`, and zeroes are null pointers.
        unsafe { self.root.as_ref() }
    }

    #[inline(always)]
    fn middle(&self, address: u64) -> Option<&AtomicPtr<Middle>> {
        self.root().get((address >> (2 * LEVEL_BITS)) as usize)
    }

    /// The leaf for this address, if it is there.
    #[inline(always)]
    pub(super) fn leaf(&self, address: u64) -> Option<&Leaf> {
        let middle = self.middle(address)?.load(Ordering::Acquire);
        // SAFETY: pointers of the root are null or to tables that stay.
        let middle = unsafe { middle.as_ref() }?;
        let leaf = middle[(address >> LEVEL_BITS) as usize % ENTRIES].load(Ordering::Acquire);
        // SAFETY: pointers of a table are null or to leaves that stay.
        unsafe { leaf.as_ref() }
    }

    /// The slot of the word at this address, if its part of the table is there.
    #[inline(always)]
    pub(super) fn existing(&self, address: u64) -> Option<&Slot> {
        Some(self.leaf(address)?.slot(address))
    }

    /// The leaf for this address. `None`: no shadow for such an address, or no memory.
    pub(super) fn made_leaf(&self, address: u64) -> Option<&Leaf> {
        if let Some(leaf) = self.leaf(address) {
            return Some(leaf);
        }
        let middle = self.made(self.middle(address)?)?;
        self.made(&middle[(address >> LEVEL_BITS) as usize % ENTRIES])
    }

    /// All slots of a leaf are empty, and will be for some time.
    ///
    /// # Safety
    ///
    /// A write to a slot that is lost makes nothing unsound.
    pub(super) unsafe fn discard(&self, leaf: &Leaf) {
        let memory = NonNull::from(leaf).cast();
        // SAFETY: leaves are allocated with this layout, and slots are atomic; the rest is the caller's promise.
        unsafe { self.storage.discard(memory, Layout::new::<Leaf>()) };
    }

    /// The first address behind the part of the table that this address would need.
    pub(super) fn after_missing(&self, address: u64) -> Option<u64> {
        let middle = self.middle(address)?.load(Ordering::Acquire);
        let bits = if middle.is_null() { 2 * LEVEL_BITS } else { LEVEL_BITS };
        ((address >> bits) + 1).checked_shl(bits)
    }

    /// What a pointer leads to, which is made now if it is null.
    #[cold]
    fn made<'a, P>(&'a self, pointer: &'a AtomicPtr<P>) -> Option<&'a P> {
        let mut seen = pointer.load(Ordering::Acquire);
        if seen.is_null() {
            let layout = Layout::new::<P>();
            let new = self.storage.allocate(layout)?;
            let put = pointer.compare_exchange(
                seen,
                new.cast::<P>().as_ptr(),
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match put {
                Ok(_) => {
                    self.made.lock().push((new, layout));
                    self.bytes.fetch_add(layout.size() as u64, Ordering::Relaxed);
                    seen = new.cast::<P>().as_ptr();
                }
                Err(other) => {
                    // SAFETY: it was allocated above, and nobody else has seen it.
                    unsafe { self.storage.give_back(new, layout) };
                    seen = other;
                }
            }
        }
        // SAFETY: the pointer is to zeroed memory of this type, which stays.
        unsafe { seen.as_ref() }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        for (table, layout) in self.made.lock().drain(..) {
            // SAFETY: `made` has allocated it with this layout, and nobody uses the shadow any more.
            unsafe { self.storage.give_back(table, layout) };
        }
        // SAFETY: `new` has allocated it with this layout.
        unsafe { self.storage.give_back(self.root.cast(), Layout::new::<Root>()) };
    }
}
