//! Plain accesses.

use warpsan_thread_detect::{Known, KnownPair, Look, Span};
use warpsan_thread_report::SideAccess;

use crate::active_tool::ActiveTool;
use crate::recorder::RECORDS;
use crate::site::with_site;
use crate::thread::{Thread, current, entered};

const WORD: u64 = 8;

/// A read of an aligned 1, 2, 4 or 8 bytes.
unsafe extern "C" fn read<const SIZE: u64>(address: u64, site: u64) {
    word::<false>(Span { address, size: SIZE }, site);
}

/// A write of an aligned 1, 2, 4 or 8 bytes.
unsafe extern "C" fn write<const SIZE: u64>(address: u64, site: u64) {
    word::<true>(Span { address, size: SIZE }, site);
}

const fn sort_of<const WRITES: bool>() -> SideAccess {
    if WRITES { SideAccess::Write } else { SideAccess::Read }
}

/// An access to at most a word. Nearly all repeat one of the same epoch: for those no register is saved, so that all else is done
/// by functions that this one ends with.
#[inline(always)]
fn word<const WRITES: bool>(span: Span, site: u64) {
    let Some(thread) = looking_thread() else { return unknown_access::<WRITES>(span, site) };
    match glance::<WRITES>(thread, span) {
        Look::Repeats => {}
        Look::Known(known) => known_access::<WRITES>(span, site, known),
        Look::New => unknown_access::<WRITES>(span, site),
    }
}

/// The calling thread, if its accesses are looked at one by one. None: it is not known yet, or all that it does is recorded.
#[inline(always)]
fn looking_thread() -> Option<&'static mut Thread> {
    // SAFETY: it is the calling thread's own, or null; callers have no other at the time.
    unsafe { current().as_mut() }.filter(|_| !RECORDS)
}

/// What is known of an access without a closer look.
#[inline(always)]
fn glance<const WRITES: bool>(thread: &mut Thread, span: Span) -> Look<Known<'static, ActiveTool>> {
    // SAFETY: the thread is of its checker.
    unsafe {
        match WRITES {
            true => thread.checker.glance_write(&mut thread.state, span),
            false => thread.checker.glance_read(&mut thread.state, span),
        }
    }
}

/// What is known of an access.
#[inline(always)]
fn look<const WRITES: bool>(thread: &mut Thread, span: Span) -> Look<Known<'static, ActiveTool>> {
    match WRITES {
        true => thread.checker.look_write(&mut thread.state, span),
        false => thread.checker.look_read(&mut thread.state, span),
    }
}

/// An access that has to be looked at.
#[inline(never)]
fn unknown_access<const WRITES: bool>(span: Span, site: u64) {
    if let Some(thread) = looking_thread() {
        match look::<WRITES>(thread, span) {
            Look::Repeats => return,
            Look::Known(known) => return known_access::<WRITES>(span, site, known),
            Look::New => {}
        }
    }
    new_word::<WRITES>(span, site);
}

/// An access whose change of what is known of its location is known already, so that it is no race.
#[inline(never)]
fn known_access<const WRITES: bool>(span: Span, site: u64, known: Known<'_, ActiveTool>) {
    let Some(mut thread) = entered() else { return };
    if thread.ignored > 0 || thread.follow(sort_of::<WRITES>(), span, site, known) {
        return;
    }
    drop(thread);
    new_word::<WRITES>(span, site);
}

/// An access to at most a word that changes what is known of it.
#[inline(never)]
fn new_word<const WRITES: bool>(span: Span, site: u64) {
    if let Some(mut thread) = entered() {
        thread.access_word(sort_of::<WRITES>(), span, site);
    }
}

/// An access that changes what is known of its location.
#[inline(never)]
fn new_access(sort: SideAccess, span: Span, site: u64) {
    if let Some(mut thread) = entered() {
        thread.access(sort, span, site);
    }
}

/// A read of 16 bytes: vectors, which loops over arrays are made of.
unsafe extern "C" fn read_two_words(address: u64, site: u64) {
    two_words::<false>(address, site);
}

/// A write of 16 bytes.
unsafe extern "C" fn write_two_words(address: u64, site: u64) {
    two_words::<true>(address, site);
}

/// Both words in one step where a glance at them says what they change, which is the same in a loop over an array.
#[inline(always)]
fn two_words<const WRITES: bool>(address: u64, site: u64) {
    let Some(thread) = looking_thread() else { return word_by_word::<WRITES>(address, site) };
    // SAFETY: the thread is of its checker.
    match unsafe { thread.checker.glance_at_pair::<WRITES>(&mut thread.state, address) } {
        Look::Repeats => {}
        Look::Known(known) => known_two_words::<WRITES>(address, site, known),
        Look::New => word_by_word::<WRITES>(address, site),
    }
}

/// An access to two words whose changes are known. Where another thread has come in between, it is made word by word; what was done stays
/// done.
#[inline(never)]
fn known_two_words<const WRITES: bool>(address: u64, site: u64, known: KnownPair<'_, ActiveTool>) {
    let Some(mut thread) = entered() else { return };
    let span = Span { address, size: 2 * WORD };
    if thread.ignored > 0 || thread.follow_for_pair(sort_of::<WRITES>(), span, site, known) {
        return;
    }
    drop(thread);
    word_by_word::<WRITES>(address, site);
}

#[inline(never)]
fn word_by_word<const WRITES: bool>(address: u64, site: u64) {
    for half in [address, address + WORD] {
        word::<WRITES>(Span { address: half, size: WORD }, site);
    }
}

unsafe extern "C" fn read_unaligned<const SIZE: u64>(address: u64, site: u64) {
    unaligned::<false>(Span { address, size: SIZE }, site);
}

unsafe extern "C" fn write_unaligned<const SIZE: u64>(address: u64, site: u64) {
    unaligned::<true>(Span { address, size: SIZE }, site);
}

/// An access to 2, 4, 8 or 16 bytes anywhere.
#[inline(always)]
fn unaligned<const WRITES: bool>(span: Span, site: u64) {
    let into_word = span.address % WORD;
    if into_word + span.size <= WORD {
        word::<WRITES>(span, site);
    } else if span.size <= WORD {
        parts_of_two_words::<WRITES>(span, WORD - into_word, site);
    } else if into_word == 0 {
        two_words::<WRITES>(span.address, site);
    } else {
        new_access(sort_of::<WRITES>(), span, site);
    }
}

/// An access to the last bytes of a word, which are so many, and the first ones of the next.
#[inline(never)]
fn parts_of_two_words<const WRITES: bool>(span: Span, in_first: u64, site: u64) {
    let Some(thread) = looking_thread() else {
        return new_access(sort_of::<WRITES>(), span, site);
    };
    let first = Span { address: span.address, size: in_first };
    let rest = Span { address: span.address + in_first, size: span.size - in_first };
    let known = match [first, rest].map(|part| look::<WRITES>(thread, part)) {
        [Look::Repeats, Look::Repeats] => return,
        [Look::Known(one), Look::Known(other)] => [Some(one), Some(other)],
        [Look::Known(one), Look::Repeats] | [Look::Repeats, Look::Known(one)] => [Some(one), None],
        [Look::New, _] | [_, Look::New] => return new_access(sort_of::<WRITES>(), span, site),
    };
    let Some(mut thread) = entered() else { return };
    if thread.ignored > 0 || thread.follow_all(sort_of::<WRITES>(), span, site, known) {
        return;
    }
    drop(thread);
    new_access(sort_of::<WRITES>(), span, site);
}

unsafe extern "C" fn read_range(address: u64, size: u64, site: u64) {
    new_access(SideAccess::Read, Span { address, size }, site);
}

unsafe extern "C" fn write_range(address: u64, size: u64, site: u64) {
    new_access(SideAccess::Write, Span { address, size }, site);
}

unsafe extern "C" fn read_write<const SIZE: u64>(address: u64, site: u64) {
    // SAFETY: the same contract, twice.
    unsafe {
        read::<SIZE>(address, site);
        write::<SIZE>(address, site);
    }
}

unsafe extern "C" fn read_write_unaligned<const SIZE: u64>(address: u64, site: u64) {
    // SAFETY: the same contract, twice.
    unsafe {
        read_unaligned::<SIZE>(address, site);
        write_unaligned::<SIZE>(address, site);
    }
}

unsafe extern "C" fn read_write_two_words(address: u64, site: u64) {
    // SAFETY: the same contract, twice.
    unsafe {
        read_two_words(address, site);
        write_two_words(address, site);
    }
}

/// The pointer to the virtual table is read.
unsafe extern "C" fn read_vptr(address: u64, site: u64) {
    let span = Span { address, size: WORD };
    if looking_thread().is_some_and(|thread| thread.checker.repeats_read(&mut thread.state, span)) {
        return;
    }
    new_access(SideAccess::VptrRead, span, site);
}

/// The pointer to the virtual table is set. What leaves it as it was is no access: constructors and destructors of a class
/// without virtual functions of its own do so.
unsafe extern "C" fn update_vptr(address: u64, new: u64, site: u64) {
    // SAFETY: the compiler passes the place of the pointer.
    if unsafe { (address as *const u64).read() } != new {
        new_access(SideAccess::VptrWrite, Span { address, size: WORD }, site);
    }
}

with_site! {
    __tsan_read1, "rsi" => read::<1>;
    __tsan_read2, "rsi" => read::<2>;
    __tsan_read4, "rsi" => read::<4>;
    __tsan_read8, "rsi" => read::<8>;
    __tsan_read16, "rsi" => read_two_words;
    __tsan_write1, "rsi" => write::<1>;
    __tsan_write2, "rsi" => write::<2>;
    __tsan_write4, "rsi" => write::<4>;
    __tsan_write8, "rsi" => write::<8>;
    __tsan_write16, "rsi" => write_two_words;
    __tsan_unaligned_read2, "rsi" => read_unaligned::<2>;
    __tsan_unaligned_read4, "rsi" => read_unaligned::<4>;
    __tsan_unaligned_read8, "rsi" => read_unaligned::<8>;
    __tsan_unaligned_read16, "rsi" => read_unaligned::<16>;
    __tsan_unaligned_write2, "rsi" => write_unaligned::<2>;
    __tsan_unaligned_write4, "rsi" => write_unaligned::<4>;
    __tsan_unaligned_write8, "rsi" => write_unaligned::<8>;
    __tsan_unaligned_write16, "rsi" => write_unaligned::<16>;
    __tsan_volatile_read1, "rsi" => read::<1>;
    __tsan_volatile_read2, "rsi" => read::<2>;
    __tsan_volatile_read4, "rsi" => read::<4>;
    __tsan_volatile_read8, "rsi" => read::<8>;
    __tsan_volatile_read16, "rsi" => read_two_words;
    __tsan_volatile_write1, "rsi" => write::<1>;
    __tsan_volatile_write2, "rsi" => write::<2>;
    __tsan_volatile_write4, "rsi" => write::<4>;
    __tsan_volatile_write8, "rsi" => write::<8>;
    __tsan_volatile_write16, "rsi" => write_two_words;
    __tsan_unaligned_volatile_read2, "rsi" => read_unaligned::<2>;
    __tsan_unaligned_volatile_read4, "rsi" => read_unaligned::<4>;
    __tsan_unaligned_volatile_read8, "rsi" => read_unaligned::<8>;
    __tsan_unaligned_volatile_read16, "rsi" => read_unaligned::<16>;
    __tsan_unaligned_volatile_write2, "rsi" => write_unaligned::<2>;
    __tsan_unaligned_volatile_write4, "rsi" => write_unaligned::<4>;
    __tsan_unaligned_volatile_write8, "rsi" => write_unaligned::<8>;
    __tsan_unaligned_volatile_write16, "rsi" => write_unaligned::<16>;
    __tsan_read_write1, "rsi" => read_write::<1>;
    __tsan_read_write2, "rsi" => read_write::<2>;
    __tsan_read_write4, "rsi" => read_write::<4>;
    __tsan_read_write8, "rsi" => read_write::<8>;
    __tsan_read_write16, "rsi" => read_write_two_words;
    __tsan_unaligned_read_write2, "rsi" => read_write_unaligned::<2>;
    __tsan_unaligned_read_write4, "rsi" => read_write_unaligned::<4>;
    __tsan_unaligned_read_write8, "rsi" => read_write_unaligned::<8>;
    __tsan_unaligned_read_write16, "rsi" => read_write_unaligned::<16>;
    __tsan_read_range, "rdx" => read_range;
    __tsan_write_range, "rdx" => write_range;
    __tsan_vptr_read, "rsi" => read_vptr;
    __tsan_vptr_update, "rdx" => update_vptr;
}

/// The same with the place as an argument of the program.
macro_rules! with_given_site {
    ($($name:ident => $inner:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: u64, site: u64) {
            // SAFETY: the same contract.
            unsafe { $inner(address, site) }
        }
    )*};
}

with_given_site! {
    __tsan_read1_pc => read::<1>;
    __tsan_read2_pc => read::<2>;
    __tsan_read4_pc => read::<4>;
    __tsan_read8_pc => read::<8>;
    __tsan_read16_pc => read_two_words;
    __tsan_write1_pc => write::<1>;
    __tsan_write2_pc => write::<2>;
    __tsan_write4_pc => write::<4>;
    __tsan_write8_pc => write::<8>;
    __tsan_write16_pc => write_two_words;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_read_range_pc(address: u64, size: u64, site: u64) {
    new_access(SideAccess::Read, Span { address, size }, site);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_write_range_pc(address: u64, size: u64, site: u64) {
    new_access(SideAccess::Write, Span { address, size }, site);
}
