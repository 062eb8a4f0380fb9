//! Pools of memory that is allocated and freed in the order of a stream. All pools take from the one
//! device memory; what is kept here is what a program can ask a pool about.

use super::error::CudaError;
use super::handles::HandleTable;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// The number behind a `cudaMemPool_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolHandle(pub usize);

/// Pools take memory of the device in pieces of this size.
const PIECE: u64 = 32 << 20;

/// `cudaMemPoolAttr`.
const REUSE_FOLLOWS_EVENTS: c_int = 1;
const REUSE_INTERNAL_DEPENDENCIES: c_int = 3;
const RELEASE_THRESHOLD: c_int = 4;
const RESERVED_NOW: c_int = 5;
const RESERVED_HIGH: c_int = 6;
const USED_NOW: c_int = 7;
const USED_HIGH: c_int = 8;

/// The value of a pool's attribute: a flag is an `int`, a size has 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolValue {
    /// A flag.
    Flag(c_int),
    /// A size.
    Bytes(u64),
}

/// The pools that there are, and whose memory is whose.
#[derive(Default)]
pub struct Pools {
    table: HandleTable<Pool>,
    /// The device's own pool, made when it is first asked for.
    default: Option<usize>,
    /// The pool that `cudaMallocAsync` takes from, where the program has chosen one.
    chosen: Option<usize>,
    /// The pool and the size of each allocation, by its address.
    allocations: BTreeMap<usize, (usize, u64)>,
}

struct Pool {
    reuse: [c_int; 3],
    release_threshold: u64,
    most_bytes: u64,
    used: u64,
    used_high: u64,
    reserved: u64,
    reserved_high: u64,
}

impl Pool {
    fn new(most_bytes: u64) -> Pool {
        Pool {
            reuse: [1; 3],
            release_threshold: 0,
            most_bytes,
            used: 0,
            used_high: 0,
            reserved: 0,
            reserved_high: 0,
        }
    }

    fn take(&mut self, bytes: u64) {
        self.used += bytes;
        self.used_high = self.used_high.max(self.used);
        self.reserved = self.reserved.max(self.used.next_multiple_of(PIECE));
        self.reserved_high = self.reserved_high.max(self.reserved);
    }

    fn give_back(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
        self.trim(self.release_threshold);
    }

    /// Keeps no more than what is used, or so many bytes.
    fn trim(&mut self, keep: u64) {
        let needed = self.used.next_multiple_of(PIECE);
        self.reserved = needed.max(self.reserved.min(keep));
    }
}

impl Pools {
    /// All memory of all pools is gone. The pools stay.
    pub fn forget_allocations(&mut self) {
        for (_, (pool, bytes)) in std::mem::take(&mut self.allocations) {
            if let Some(pool) = self.table.get_mut(pool) {
                pool.give_back(bytes);
            }
        }
    }

    /// Makes a pool that holds no more than so many bytes.
    pub fn create(&mut self, most_bytes: u64) -> PoolHandle {
        PoolHandle(self.table.insert(Pool::new(most_bytes)))
    }

    /// The device's own pool.
    pub fn default_pool(&mut self) -> PoolHandle {
        let made = self.default.unwrap_or_else(|| self.table.insert(Pool::new(u64::MAX)));
        self.default = Some(made);
        PoolHandle(made)
    }

    /// The pool that `cudaMallocAsync` takes from.
    pub fn current(&mut self) -> PoolHandle {
        self.chosen.map_or_else(|| self.default_pool(), PoolHandle)
    }

    /// Chooses the pool that `cudaMallocAsync` takes from.
    pub fn choose(&mut self, pool: PoolHandle) -> Result<(), CudaError> {
        self.get(pool)?;
        self.chosen = Some(pool.0);
        Ok(())
    }

    /// Takes a pool away. What was allocated from it stays until it is freed.
    pub fn destroy(&mut self, pool: PoolHandle) -> Result<(), CudaError> {
        self.get(pool)?;
        if self.default == Some(pool.0) {
            return Err(CudaError::INVALID_VALUE);
        }
        self.table.remove(pool.0);
        if self.chosen == Some(pool.0) {
            self.chosen = None;
        }
        Ok(())
    }

    /// Refuses what the pool has no room for.
    pub fn check_room(&mut self, pool: PoolHandle, bytes: u64) -> Result<(), CudaError> {
        let pool = self.get(pool)?;
        let wanted = pool.used.saturating_add(bytes);
        if wanted > pool.most_bytes { Err(CudaError::MEMORY_ALLOCATION) } else { Ok(()) }
    }

    /// Notes an allocation that was made from a pool.
    pub fn note(&mut self, pool: PoolHandle, address: usize, bytes: u64) {
        if let Some(pool) = self.table.get_mut(pool.0) {
            pool.take(bytes);
        }
        self.allocations.insert(address, (pool.0, bytes));
    }

    /// Whether memory is of a pool.
    pub fn has(&self, address: usize) -> bool {
        self.allocations.contains_key(&address)
    }

    /// Memory was freed; it may be a pool's.
    pub fn forget(&mut self, address: usize) {
        if let Some((pool, bytes)) = self.allocations.remove(&address)
            && let Some(pool) = self.table.get_mut(pool)
        {
            pool.give_back(bytes);
        }
    }

    /// Gives back what a pool keeps beyond so many bytes.
    pub fn trim(&mut self, pool: PoolHandle, keep: u64) -> Result<(), CudaError> {
        self.get(pool)?.trim(keep);
        Ok(())
    }

    /// The size of an attribute's value: is it a flag?
    pub fn is_flag(attribute: c_int) -> bool {
        (REUSE_FOLLOWS_EVENTS..=REUSE_INTERNAL_DEPENDENCIES).contains(&attribute)
    }

    /// An attribute's value.
    pub fn attribute(
        &mut self,
        pool: PoolHandle,
        attribute: c_int,
    ) -> Result<PoolValue, CudaError> {
        let pool = self.get(pool)?;
        Ok(PoolValue::Bytes(match attribute {
            flag if Self::is_flag(flag) => {
                return Ok(PoolValue::Flag(pool.reuse[(flag - REUSE_FOLLOWS_EVENTS) as usize]));
            }
            RELEASE_THRESHOLD => pool.release_threshold,
            RESERVED_NOW => pool.reserved,
            RESERVED_HIGH => pool.reserved_high,
            USED_NOW => pool.used,
            USED_HIGH => pool.used_high,
            _ => return Err(CudaError::INVALID_VALUE),
        }))
    }

    /// Changes an attribute. The high marks can only be set back, and what is so now cannot be set.
    pub fn set_attribute(
        &mut self,
        pool: PoolHandle,
        attribute: c_int,
        value: PoolValue,
    ) -> Result<(), CudaError> {
        let pool = self.get(pool)?;
        match (attribute, value) {
            (flag, PoolValue::Flag(value)) if Self::is_flag(flag) => {
                pool.reuse[(flag - REUSE_FOLLOWS_EVENTS) as usize] = c_int::from(value != 0);
            }
            (RELEASE_THRESHOLD, PoolValue::Bytes(bytes)) => pool.release_threshold = bytes,
            (RESERVED_HIGH, PoolValue::Bytes(0)) => pool.reserved_high = pool.reserved,
            (USED_HIGH, PoolValue::Bytes(0)) => pool.used_high = pool.used,
            _ => return Err(CudaError::INVALID_VALUE),
        }
        Ok(())
    }

    fn get(&mut self, pool: PoolHandle) -> Result<&mut Pool, CudaError> {
        self.table.get_mut(pool.0).ok_or(CudaError::INVALID_VALUE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_counts_what_is_taken_from_it() {
        let mut pools = Pools::default();
        let pool = pools.create(u64::MAX);
        pools.note(pool, 0x1000, 100);
        pools.note(pool, 0x2000, 600);
        assert_eq!(pools.attribute(pool, USED_NOW), Ok(PoolValue::Bytes(700)));
        assert_eq!(pools.attribute(pool, RESERVED_NOW), Ok(PoolValue::Bytes(PIECE)));
        pools.forget(0x1000);
        pools.forget(0x1000);
        pools.forget(0x3000);
        assert_eq!(pools.attribute(pool, USED_NOW), Ok(PoolValue::Bytes(600)));
        assert_eq!(pools.attribute(pool, USED_HIGH), Ok(PoolValue::Bytes(700)));
        assert_eq!(pools.set_attribute(pool, USED_HIGH, PoolValue::Bytes(0)), Ok(()));
        assert_eq!(pools.attribute(pool, USED_HIGH), Ok(PoolValue::Bytes(600)));
        pools.forget(0x2000);
        assert_eq!(pools.attribute(pool, RESERVED_NOW), Ok(PoolValue::Bytes(0)));
    }

    #[test]
    fn the_release_threshold_is_kept_until_the_pool_is_trimmed() {
        let mut pools = Pools::default();
        let pool = pools.create(u64::MAX);
        let threshold = PoolValue::Bytes(1 << 30);
        assert_eq!(pools.set_attribute(pool, RELEASE_THRESHOLD, threshold), Ok(()));
        pools.note(pool, 0x1000, 100);
        pools.forget(0x1000);
        assert_eq!(pools.attribute(pool, RESERVED_NOW), Ok(PoolValue::Bytes(PIECE)));
        assert_eq!(pools.trim(pool, 0), Ok(()));
        assert_eq!(pools.attribute(pool, RESERVED_NOW), Ok(PoolValue::Bytes(0)));
    }

    #[test]
    fn the_default_pool_stays_and_a_chosen_one_that_goes_gives_way_to_it() {
        let mut pools = Pools::default();
        let (default, other) = (pools.default_pool(), pools.create(1000));
        assert_eq!(pools.current(), default);
        assert_eq!(pools.choose(other), Ok(()));
        assert_eq!(pools.current(), other);
        assert_eq!(pools.check_room(other, 1001), Err(CudaError::MEMORY_ALLOCATION));
        assert_eq!(pools.destroy(other), Ok(()));
        assert_eq!(pools.current(), default);
        assert_eq!(pools.destroy(other), Err(CudaError::INVALID_VALUE));
        assert_eq!(pools.destroy(default), Err(CudaError::INVALID_VALUE));
        assert_eq!(pools.choose(PoolHandle(0)), Err(CudaError::INVALID_VALUE));
    }

    #[test]
    fn what_is_so_now_cannot_be_set() {
        let mut pools = Pools::default();
        let pool = pools.create(u64::MAX);
        for (attribute, value) in [(USED_NOW, 0), (RESERVED_NOW, 0), (USED_HIGH, 1), (99, 0)] {
            let answered = pools.set_attribute(pool, attribute, PoolValue::Bytes(value));
            assert_eq!(answered, Err(CudaError::INVALID_VALUE));
        }
        assert_eq!(pools.set_attribute(pool, 2, PoolValue::Flag(0)), Ok(()));
        assert_eq!(pools.attribute(pool, 2), Ok(PoolValue::Flag(0)));
    }
}
