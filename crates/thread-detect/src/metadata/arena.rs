//! Where records come from and go back to.
//!
//! A list of unused records for each class, and one such set of lists for each thread in front of it, so that threads meet
//! at the common lists once in a batch.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::class::Class;
use super::composition::Composition;
use super::memory_meter::{Memory, MemoryMeter, Unsettled};
use super::record::Record;
use crate::chunks::Chunks;
use crate::slot::{Kind, Word};
use crate::spin::SpinLock;
use crate::storage::Storage;

/// All records of a tool.
pub(crate) struct Arena {
    storage: Arc<dyn Storage>,
    /// Whether vectors of reads have a Next map.
    next: bool,
    pools: [SpinLock<Pool>; Class::COUNT],
    meter: MemoryMeter,
}

/// What is not in use of one class.
#[derive(Default)]
struct Pool {
    unused: List,
    chunks: Chunks,
}

/// Unused records, linked through the word of the write epoch.
#[derive(Clone, Copy, Default)]
struct List {
    first: Option<Record>,
    length: u32,
}

impl List {
    fn push(&mut self, record: Record) {
        record.set(Record::WRITE, self.first.map_or(0, Record::address));
        self.first = Some(record);
        self.length += 1;
    }

    fn pop(&mut self) -> Option<Record> {
        let record = self.first?;
        let next = record.get(Record::WRITE);
        // SAFETY: links of a list are zero or addresses of records of the arena.
        self.first = (next != 0).then(|| unsafe { Record::at(next) });
        self.length -= 1;
        Some(record)
    }
}

/// What one thread keeps of an arena.
pub(crate) struct RecordCache {
    lists: [List; Class::COUNT],
    unsettled: Unsettled,
    /// Names that have holders less, and how many: given back when another name comes to its place, since a thread often
    /// replaces the same few pieces of metadata in many locations, one after another.
    dropped: [(Word, u64); Self::DROPPED],
}

impl RecordCache {
    const DROPPED: usize = 16;

    /// Where in `dropped` a name is put off.
    #[inline(always)]
    fn place(name: Word) -> usize {
        (name.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize % Self::DROPPED
    }
}

impl Default for RecordCache {
    fn default() -> Self {
        Self {
            lists: [List::default(); Class::COUNT],
            unsettled: Unsettled::default(),
            dropped: [(Word::EMPTY, 0); Self::DROPPED],
        }
    }
}

impl Arena {
    /// A thread settles when its account differs by so much.
    const SETTLED_BYTES: i64 = 4096;

    pub(crate) fn new(storage: Arc<dyn Storage>, next: bool) -> Self {
        let pools = std::array::from_fn(|_| SpinLock::new(Pool::default()));
        Self { storage, next, pools, meter: MemoryMeter::default() }
    }

    /// A record of this class that so many hold; `None` where there is no memory. Its contents are anything, but for the
    /// capacity.
    #[inline]
    pub(crate) fn take(
        &self,
        cache: &mut RecordCache,
        class: Class,
        holders: u64,
    ) -> Option<Record> {
        let list = &mut cache.lists[class.index()];
        let record = match list.pop() {
            Some(record) => record,
            None => {
                self.refill(list, class);
                list.pop()?
            }
        };
        if matches!(class.kind(), Kind::Reads | Kind::Mixed) {
            record.set(2, class.capacity() as u64);
        }
        record.begin(record.generation(), holders);
        self.account(cache, class, 1);
        Some(record)
    }

    /// Takes a record back that nobody holds any more.
    #[inline]
    pub(crate) fn give(&self, cache: &mut RecordCache, record: Record, kind: Kind) {
        let class = match kind {
            Kind::Pair => Class::PAIR,
            Kind::Reads => Class::reads(record.get(2) as usize),
            Kind::Mixed => Class::mixed(record.get(2) as usize),
            Kind::Divided => Class::composition(Composition(record).capacity()),
        };
        self.account(cache, class, -1);
        if !record.end() {
            return;
        }
        let list = &mut cache.lists[class.index()];
        list.push(record);
        if list.length > 2 * self.batch(class) {
            self.give_batch(list, class);
        }
    }

    /// One holder less of what this name is of, which may be put off.
    ///
    /// # Safety
    ///
    /// The name is empty or of a record of this arena, and what it counted for the holder is not given back twice.
    #[inline]
    pub(crate) unsafe fn drop_name(&self, cache: &mut RecordCache, name: Word) {
        // SAFETY: the caller's promise.
        unsafe { self.drop_names(cache, name, 1) };
    }

    /// So many holders less of what this name is of, which may be put off.
    ///
    /// # Safety
    ///
    /// As for `drop_name`.
    #[inline]
    pub(crate) unsafe fn drop_names(&self, cache: &mut RecordCache, name: Word, holders: u64) {
        if name.is_empty() {
            return;
        }
        let dropped = &mut cache.dropped[RecordCache::place(name)];
        if dropped.0 == name {
            dropped.1 += holders;
            return;
        }
        let (former, holders) = std::mem::replace(dropped, (name, holders));
        // SAFETY: the names of `dropped` came through this function.
        unsafe { self.release(cache, former, holders) };
    }

    /// So many holders less, now.
    ///
    /// # Safety
    ///
    /// As for `drop_name`.
    pub(crate) unsafe fn release(&self, cache: &mut RecordCache, name: Word, holders: u64) {
        if name.is_empty() || holders == 0 {
            return;
        }
        // SAFETY: the caller says that the name is of a record of this arena.
        let record = unsafe { name.record() };
        if record.release(holders) {
            // SAFETY: nobody holds it any more.
            unsafe { self.retire(cache, record, name.kind()) };
        }
    }

    /// Takes a record back, and what it holds in its turn. Compositions hold no compositions, so that is no deep recursion.
    ///
    /// # Safety
    ///
    /// Nobody holds the record any more, or the one who does has locked it and will not use it again.
    pub(crate) unsafe fn retire(&self, cache: &mut RecordCache, record: Record, kind: Kind) {
        if kind == Kind::Divided {
            for name in Composition(record).names() {
                // SAFETY: a composition that is not given back yet holds its parts, once each.
                unsafe { self.release(cache, name, 1) };
            }
        }
        self.give(cache, record, kind);
    }

    /// Gives back what a thread has put off, and settles its account.
    pub(crate) fn settle(&self, cache: &mut RecordCache) {
        for place in 0..RecordCache::DROPPED {
            let (name, holders) = std::mem::replace(&mut cache.dropped[place], (Word::EMPTY, 0));
            // SAFETY: the names of `dropped` came through `drop_name`.
            unsafe { self.release(cache, name, holders) };
        }
        self.meter.settle(&mut cache.unsettled);
    }

    /// Takes back all that a thread keeps.
    pub(crate) fn close(&self, cache: &mut RecordCache) {
        self.settle(cache);
        for (pool, list) in self.pools.iter().zip(&mut cache.lists) {
            if list.length > 0 {
                let mut pool = pool.lock();
                while let Some(record) = list.pop() {
                    pool.unused.push(record);
                }
            }
        }
    }

    pub(crate) fn memory(&self) -> Memory {
        self.meter.read()
    }

    /// The bytes of a record.
    pub(crate) fn bytes(&self, class: Class) -> usize {
        class.words(self.next) * 8
    }

    #[inline]
    fn account(&self, cache: &mut RecordCache, class: Class, sign: i64) {
        let bytes = sign * self.bytes(class) as i64;
        let account = &mut cache.unsettled;
        account.all += bytes;
        match class.kind() {
            Kind::Pair => {}
            Kind::Reads => account.vectors += bytes,
            Kind::Mixed => account.mixed += bytes,
            Kind::Divided => account.compositions += bytes,
        }
        if account.all.abs() >= Self::SETTLED_BYTES {
            self.meter.settle(account);
        }
    }

    /// How many records go between a thread and the pool at once.
    fn batch(&self, class: Class) -> u32 {
        (4096 / self.bytes(class)).clamp(1, 64) as u32
    }

    #[cold]
    fn refill(&self, list: &mut List, class: Class) {
        let mut pool = self.pools[class.index()].lock();
        for _ in 0..self.batch(class) {
            let unused = pool.unused.pop();
            match unused.or_else(|| self.fresh(&mut pool, class)) {
                Some(record) => list.push(record),
                None => return,
            }
        }
    }

    #[cold]
    fn give_batch(&self, list: &mut List, class: Class) {
        let mut pool = self.pools[class.index()].lock();
        for _ in 0..self.batch(class) {
            match list.pop() {
                Some(record) => pool.unused.push(record),
                None => return,
            }
        }
    }

    /// A record that was never used.
    fn fresh(&self, pool: &mut Pool, class: Class) -> Option<Record> {
        let before = pool.chunks.reserved();
        let address = pool.chunks.take(&*self.storage, self.bytes(class))?;
        self.meter.reserved.fetch_add(pool.chunks.reserved() - before, Ordering::Relaxed);
        // SAFETY: it is within a chunk, which lives until the arena is dropped.
        Some(unsafe { Record::at(address) })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for pool in &self.pools {
            // SAFETY: the chunks came from this storage, and the arena is used no more.
            unsafe { pool.lock().chunks.give_back_all(&*self.storage) };
        }
    }
}
