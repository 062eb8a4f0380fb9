//! Where records come from and go back to.
//!
//! A list of unused records for each class, and one such set of lists for each thread in front of it, so that threads meet
//! at the common lists once in a batch.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::class::Class;
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
    /// A name that slots have ceased to hold, and how many: given back when another name comes, since a thread often
    /// replaces the same metadata in many locations, one after another.
    dropped: (Word, u64),
}

impl Default for RecordCache {
    fn default() -> Self {
        Self {
            lists: [List::default(); Class::COUNT],
            unsettled: Unsettled::default(),
            dropped: (Word::EMPTY, 0),
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
        if class.capacity() > 0 {
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
            Kind::Mixed | Kind::Divided => Class::mixed(record.get(2) as usize),
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

    /// One slot less holds what this name is of.
    ///
    /// # Safety
    ///
    /// The name is of a record of this arena, and what it counted for the slot is not given back twice.
    #[inline]
    pub(crate) unsafe fn drop_name(&self, cache: &mut RecordCache, name: Word) {
        if name.is_empty() {
            return;
        }
        if cache.dropped.0 == name {
            cache.dropped.1 += 1;
            return;
        }
        let (former, holders) = std::mem::replace(&mut cache.dropped, (name, 1));
        // SAFETY: the names of `dropped` came through this function.
        unsafe { self.release(cache, former, holders) };
    }

    /// So many holders less.
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
            self.give(cache, record, name.kind());
        }
    }

    /// Gives back what a thread has put off, and settles its account.
    pub(crate) fn settle(&self, cache: &mut RecordCache) {
        let (name, holders) = std::mem::replace(&mut cache.dropped, (Word::EMPTY, 0));
        // SAFETY: the names of `dropped` came through `drop_name`.
        unsafe { self.release(cache, name, holders) };
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
            Kind::Mixed | Kind::Divided => account.mixed += bytes,
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
