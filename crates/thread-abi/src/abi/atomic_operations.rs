//! What atomic operations do to memory, for each size.
//!
//! They are carried out sequentially consistently, whatever the program asks for: what it asks for decides about order between
//! threads, not what the machine does. Reads and writes of one address come here one after another.

use std::arch::asm;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A value that can be accessed in one step.
pub(super) trait Value: Copy + PartialEq {
    const SIZE: u64;

    /// # Safety
    ///
    /// The address is of such a value, and aligned.
    unsafe fn load(address: u64) -> Self;
    /// # Safety
    ///
    /// As for `load`.
    unsafe fn swap(address: u64, new: Self) -> Self;
    /// The value that was there; it is `expected` if the new one was written.
    ///
    /// # Safety
    ///
    /// As for `load`.
    unsafe fn compare_exchange(address: u64, expected: Self, new: Self) -> Self;

    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn exclusive_or(self, other: Self) -> Self;
    fn nand(self, other: Self) -> Self;
}

macro_rules! arithmetic {
    () => {
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        fn subtract(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        fn and(self, other: Self) -> Self {
            self & other
        }
        fn or(self, other: Self) -> Self {
            self | other
        }
        fn exclusive_or(self, other: Self) -> Self {
            self ^ other
        }
        fn nand(self, other: Self) -> Self {
            !(self & other)
        }
    };
}

macro_rules! values {
    ($($type:ty: $atomic:ty),*) => {$(
        impl Value for $type {
            const SIZE: u64 = size_of::<$type>() as u64;

            unsafe fn load(address: u64) -> Self {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(address as *mut $type) }.load(Ordering::SeqCst)
            }
            unsafe fn swap(address: u64, new: Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(address as *mut $type) }.swap(new, Ordering::SeqCst)
            }
            unsafe fn compare_exchange(address: u64, expected: Self, new: Self) -> Self {
                // SAFETY: the caller's promise.
                let atomic = unsafe { <$atomic>::from_ptr(address as *mut $type) };
                match atomic.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(value) | Err(value) => value,
                }
            }
            arithmetic!();
        }
    )*};
}

values!(u8: AtomicU8, u16: AtomicU16, u32: AtomicU32, u64: AtomicU64);

impl Value for u128 {
    const SIZE: u64 = 16;

    unsafe fn load(address: u64) -> u128 {
        // It writes what is there: programs with such variables have them in memory that can be written.
        // SAFETY: the caller's promise.
        unsafe { Self::compare_exchange(address, 0, 0) }
    }

    unsafe fn swap(address: u64, new: u128) -> u128 {
        // SAFETY: the caller's promise.
        let mut seen = unsafe { Self::load(address) };
        loop {
            // SAFETY: the caller's promise.
            match unsafe { Self::compare_exchange(address, seen, new) } {
                value if value == seen => return value,
                value => seen = value,
            }
        }
    }

    unsafe fn compare_exchange(address: u64, expected: u128, new: u128) -> u128 {
        let (low, high): (u64, u64);
        // SAFETY: the caller's promise. The instruction uses rbx, which the compiler keeps for itself, or may give to
        // anything that has no register of its own here.
        unsafe {
            asm!(
                "xchg rsi, rbx",
                "lock cmpxchg16b xmmword ptr [rdi]",
                "mov rbx, rsi",
                in("rdi") address,
                inout("rsi") new as u64 => _,
                in("rcx") (new >> 64) as u64,
                inout("rax") expected as u64 => low,
                inout("rdx") (expected >> 64) as u64 => high,
                options(nostack)
            );
        }
        (u128::from(high) << 64) | u128::from(low)
    }

    arithmetic!();
}
