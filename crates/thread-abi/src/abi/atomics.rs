//! Atomic accesses and fences.

use std::ffi::c_int;

use warpsan_thread_detect::{MemoryOrder, Span};
use warpsan_thread_report::SideAccess;
use warpsan_thread_trace::Action;

use super::atomic_operations::Value;
use crate::site::with_site;
use crate::thread::entered;

/// The orders as compilers number them. Bits above are hints of gcc for transactional memory.
fn order_of(number: c_int) -> MemoryOrder {
    match number & 0x7fff {
        0 => MemoryOrder::Relaxed,
        1 | 2 => MemoryOrder::Acquire,
        3 => MemoryOrder::Release,
        4 => MemoryOrder::AcquireRelease,
        _ => MemoryOrder::SequentiallyConsistent,
    }
}

unsafe extern "C" fn load<T: Value>(address: u64, order: c_int, site: u64) -> T {
    let Some(mut thread) = entered() else {
        // SAFETY: the program's contract.
        return unsafe { T::load(address) };
    };
    let clock = thread.runtime.clocks.at(address);
    let held = clock.hold();
    let span = Span { address, size: T::SIZE };
    if thread.ignored_order == 0 {
        held.observe(&mut thread.state, order_of(order));
        thread.trace(site, Action::AtomicRead(span, order_of(order)));
    }
    thread.access(SideAccess::AtomicRead, span, site);
    // SAFETY: the program's contract.
    unsafe { T::load(address) }
}

unsafe extern "C" fn store<T: Value>(address: u64, value: T, order: c_int, site: u64) {
    let Some(mut thread) = entered() else {
        // SAFETY: the program's contract.
        unsafe { T::swap(address, value) };
        return;
    };
    let clock = thread.runtime.clocks.at(address);
    let mut held = clock.hold();
    let span = Span { address, size: T::SIZE };
    thread.access(SideAccess::AtomicWrite, span, site);
    // SAFETY: the program's contract.
    unsafe { T::swap(address, value) };
    if thread.ignored_order == 0 {
        thread.trace(site, Action::AtomicWrite(span, order_of(order)));
        held.store(&mut thread.state, order_of(order));
    }
}

/// An operation that reads and writes: `change` carries it out.
unsafe fn update<T: Value>(address: u64, order: c_int, site: u64, change: impl FnOnce() -> T) -> T {
    let Some(mut thread) = entered() else { return change() };
    let order = order_of(order);
    let clock = thread.runtime.clocks.at(address);
    let mut held = clock.hold();
    if thread.ignored_order == 0 {
        held.observe(&mut thread.state, order);
    }
    let span = Span { address, size: T::SIZE };
    thread.access(SideAccess::AtomicWrite, span, site);
    let before = change();
    if thread.ignored_order == 0 {
        thread.trace(site, Action::AtomicUpdate(span, order));
        held.update(&mut thread.state, order);
    }
    before
}

unsafe extern "C" fn exchange<T: Value>(address: u64, value: T, order: c_int, site: u64) -> T {
    // SAFETY: the program's contract.
    unsafe { update(address, order, site, || T::swap(address, value)) }
}

/// Changes the value by a function of it.
///
/// # Safety
///
/// The address is of such a value.
unsafe fn fetch<T: Value>(address: u64, order: c_int, site: u64, function: impl Fn(T) -> T) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        update(address, order, site, || {
            let mut seen = T::load(address);
            loop {
                match T::compare_exchange(address, seen, function(seen)) {
                    value if value == seen => return value,
                    value => seen = value,
                }
            }
        })
    }
}

macro_rules! fetches {
    ($($name:ident: $operation:ident),*) => {$(
        unsafe extern "C" fn $name<T: Value>(address: u64, value: T, order: c_int, site: u64) -> T {
            // SAFETY: the program's contract.
            unsafe { fetch(address, order, site, |seen: T| seen.$operation(value)) }
        }
    )*};
}

fetches!(
    fetch_add: add, fetch_sub: subtract, fetch_and: and, fetch_or: or, fetch_xor: exclusive_or, fetch_nand: nand
);

/// Compares and exchanges. What was there, and whether that was what was expected.
///
/// # Safety
///
/// The address is of such a value.
unsafe fn exchange_if<T: Value>(
    address: u64,
    (expected, new): (T, T),
    (success, failure): (c_int, c_int),
    site: u64,
) -> (T, bool) {
    // SAFETY: the caller's promise.
    let carry_out = || unsafe { T::compare_exchange(address, expected, new) };
    let Some(mut thread) = entered() else {
        let before = carry_out();
        return (before, before == expected);
    };
    let clock = thread.runtime.clocks.at(address);
    let mut held = clock.hold();
    let before = carry_out();
    let done = before == expected;
    let order = order_of(if done { success } else { failure });
    if thread.ignored_order == 0 {
        held.observe(&mut thread.state, order);
    }
    let span = Span { address, size: T::SIZE };
    let (sort, action) = match done {
        true => (SideAccess::AtomicWrite, Action::AtomicUpdate(span, order)),
        false => (SideAccess::AtomicRead, Action::AtomicRead(span, order)),
    };
    thread.access(sort, span, site);
    if thread.ignored_order == 0 {
        thread.trace(site, action);
        if done {
            held.update(&mut thread.state, order);
        }
    }
    (before, done)
}

unsafe extern "C" fn compare_exchange<T: Value>(
    address: u64,
    expected: *mut T,
    new: T,
    success: c_int,
    failure: c_int,
    site: u64,
) -> c_int {
    // SAFETY: the program's contract.
    unsafe {
        let (before, done) = exchange_if(address, (*expected, new), (success, failure), site);
        if !done {
            *expected = before;
        }
        c_int::from(done)
    }
}

unsafe extern "C" fn compare_exchange_value<T: Value>(
    address: u64,
    expected: T,
    new: T,
    success: c_int,
    failure: c_int,
    site: u64,
) -> T {
    // SAFETY: the program's contract.
    unsafe { exchange_if(address, (expected, new), (success, failure), site).0 }
}

macro_rules! atomics {
    ($($type:ty: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
        $strong:ident $weak:ident $value:ident;)*) => {$(
        with_site! {
            $load, "rdx" => load::<$type>;
            $store, "rcx" => store::<$type>;
            $exchange, "rcx" => exchange::<$type>;
            $add, "rcx" => fetch_add::<$type>;
            $sub, "rcx" => fetch_sub::<$type>;
            $and, "rcx" => fetch_and::<$type>;
            $or, "rcx" => fetch_or::<$type>;
            $xor, "rcx" => fetch_xor::<$type>;
            $nand, "rcx" => fetch_nand::<$type>;
            $strong, "r9" => compare_exchange::<$type>;
            $weak, "r9" => compare_exchange::<$type>;
            $value, "r9" => compare_exchange_value::<$type>;
        }
    )*};
}

atomics! {
    u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
        __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val;
    u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub
        __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val;
    u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub
        __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val;
    u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub
        __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val;
}

// A value of 16 bytes takes two registers, so the place is in another one.
with_site! {
    __tsan_atomic128_load, "rdx" => load::<u128>;
    __tsan_atomic128_store, "r8" => store::<u128>;
    __tsan_atomic128_exchange, "r8" => exchange::<u128>;
    __tsan_atomic128_fetch_add, "r8" => fetch_add::<u128>;
    __tsan_atomic128_fetch_sub, "r8" => fetch_sub::<u128>;
    __tsan_atomic128_fetch_and, "r8" => fetch_and::<u128>;
    __tsan_atomic128_fetch_or, "r8" => fetch_or::<u128>;
    __tsan_atomic128_fetch_xor, "r8" => fetch_xor::<u128>;
    __tsan_atomic128_fetch_nand, "r8" => fetch_nand::<u128>;
}

/// Moves the return address up, as the seventh argument, and calls.
macro_rules! with_site_on_the_stack {
    ($($name:ident => $inner:path;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "push qword ptr [rsp]",
                "call {inner}",
                "pop rcx",
                "ret",
                inner = sym $inner,
            )
        }
    )*};
}

with_site_on_the_stack! {
    __tsan_atomic128_compare_exchange_strong => compare_exchange::<u128>;
    __tsan_atomic128_compare_exchange_weak => compare_exchange::<u128>;
}

/// All registers for arguments and two words of the stack are taken: the place is left out.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    address: u64,
    expected: u128,
    new: u128,
    success: c_int,
    failure: c_int,
) -> u128 {
    // SAFETY: the program's contract.
    unsafe { exchange_if(address, (expected, new), (success, failure), 0).0 }
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    if let Some(mut thread) = entered() {
        thread.trace(0, Action::Fence(order_of(order)));
        thread.state.fence(order_of(order));
    }
}

/// A fence between a thread and its own handlers orders no threads.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {}
