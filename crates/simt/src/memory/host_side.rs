//! Accesses of the host to memory that kernels use too, caught by page protection.
//!
//! While work is in flight, the pages of managed and page-locked memory are closed on the host's side. The
//! first read of a page faults, is noted, and opens the page for reading; the first write opens it
//! altogether. The engine has a mapping of its own, which is never closed.
//!
//! The handler of the fault may interrupt the program anywhere: it takes no lock that anybody holds for long,
//! allocates nothing, and calls nothing but `mprotect` and `gettid`.

use super::allocations::Allocation;
use super::faults::{pass_on, watch_faults};
use super::space::{DEVICE_BASE, DEVICE_BYTES, PAGE, is_device_address};
use iced_x86::{Decoder, DecoderOptions};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use warpsan_model::DeviceAddress;

/// An access of the host, caught at its first byte in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostAccess {
    /// The first byte.
    pub address: DeviceAddress,
    /// How many bytes of this page it accesses, as its instruction says.
    pub bytes: u64,
    /// Whether it writes them.
    pub writes: bool,
    /// Where the instruction is.
    pub instruction: usize,
    /// The number that the system gave the thread.
    pub thread: u64,
    /// How much work the program had asked for by then ([`set_asked_for`]).
    pub asked_for: u64,
}

/// How much work the program has asked for, which accesses are noted with.
static ASKED_FOR: AtomicU64 = AtomicU64::new(0);

/// So much work was asked for.
pub fn set_asked_for(count: u64) {
    ASKED_FOR.store(count, Ordering::Release);
}

/// Whether accesses were noted since somebody has last taken them.
pub fn has_host_accesses() -> bool {
    LOG.count.load(Ordering::Relaxed) > 0
}

/// What the host's side of the memory is like now.
#[derive(Debug, Default)]
pub(super) struct HostSide {
    /// All memory that the host may use is closed, but for these pages.
    closed: Option<Vec<u64>>,
}

/// States of a page.
const NOT_WATCHED: u8 = 0;
const OPEN: u8 = 1;
const READABLE: u8 = 2;
const CLOSED: u8 = 3;

const PAGES: usize = (DEVICE_BYTES / PAGE) as usize;

/// The states of all pages, once memory was closed. Zero pages that are not touched cost nothing.
static STATES: AtomicPtr<AtomicU8> = AtomicPtr::new(std::ptr::null_mut());

/// Accesses between two looks at them; more are counted only.
const MOST_ACCESSES: usize = 1 << 16;

struct Log {
    busy: AtomicBool,
    count: AtomicUsize,
    lost: AtomicU64,
    entries: UnsafeCell<[MaybeUninit<Noted>; MOST_ACCESSES]>,
}

#[derive(Clone, Copy)]
struct Noted {
    address: u64,
    /// None where the instruction says it.
    bytes: Option<u64>,
    writes: bool,
    instruction: usize,
    thread: u64,
    asked_for: u64,
}

// SAFETY: the entries are used by whoever has set `busy`, and by nobody else.
unsafe impl Sync for Log {}

static LOG: Log = Log {
    busy: AtomicBool::new(false),
    count: AtomicUsize::new(0),
    lost: AtomicU64::new(0),
    entries: UnsafeCell::new([const { MaybeUninit::uninit() }; MOST_ACCESSES]),
};

impl Log {
    /// Runs something with the entries, unless somebody has them for too long.
    fn with<T>(
        &self,
        body: impl FnOnce(&mut [MaybeUninit<Noted>; MOST_ACCESSES]) -> T,
    ) -> Option<T> {
        let mut turns = 0_u32;
        while self.busy.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
            turns += 1;
            if turns > 100_000_000 {
                return None;
            }
        }
        // SAFETY: `busy` was not set, and is now, so that nobody else has the entries.
        let answer = body(unsafe { &mut *self.entries.get() });
        self.busy.store(false, Ordering::Release);
        Some(answer)
    }

    fn note(&self, noted: Noted) {
        let written = self.with(|entries| {
            let index = self.count.load(Ordering::Relaxed);
            let entry = entries.get_mut(index).map(|entry| entry.write(noted));
            self.count.store(index + usize::from(entry.is_some()), Ordering::Relaxed);
            entry.is_some()
        });
        if written != Some(true) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn take(&self) -> Vec<Noted> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let room = Vec::with_capacity(self.count.load(Ordering::Relaxed) + 64);
        let taken = self.with(|entries| {
            let mut taken = room;
            let count = self.count.swap(0, Ordering::Relaxed);
            // SAFETY: so many entries were written.
            taken.extend(entries[..count].iter().map(|entry| unsafe { entry.assume_init() }));
            taken
        });
        taken.unwrap_or_default()
    }
}

impl HostSide {
    /// Closes all memory that the host may use.
    pub(super) fn close(&mut self, visible: impl FnOnce() -> Vec<Allocation>) {
        match &mut self.closed {
            Some(opened) => {
                opened.sort_unstable();
                opened.dedup();
                // Memory that was freed since is nobody's.
                opened.retain(|page| state_of(*page).is_some_and(|state| state != NOT_WATCHED));
                for range in opened.chunk_by(|one, next| one + PAGE == *next) {
                    change(range[0], range.len() as u64 * PAGE, CLOSED);
                }
                opened.clear();
            }
            None => {
                let visible = visible();
                if visible.is_empty() || !keep_states() || !watch_faults(on_fault) {
                    return;
                }
                for allocation in visible {
                    change(allocation.address.0, allocation.reserved, CLOSED);
                }
                self.closed = Some(Vec::new());
            }
        }
    }

    /// Opens all memory that the host may use.
    pub(super) fn open(&mut self, visible: impl FnOnce() -> Vec<Allocation>) {
        if self.closed.take().is_some() {
            for allocation in visible() {
                change(allocation.address.0, allocation.reserved, OPEN);
            }
        }
    }

    /// An allocation that the host may use is there; it is open until memory is closed the next time.
    pub(super) fn begin(&mut self, allocation: &Allocation) {
        change(allocation.address.0, allocation.reserved, OPEN);
        if let Some(opened) = &mut self.closed {
            let start = allocation.address.0;
            opened.extend((start..start + allocation.reserved).step_by(PAGE as usize));
        }
    }

    /// An allocation is gone.
    pub(super) fn end(&mut self, allocation: &Allocation) {
        change(allocation.address.0, allocation.reserved, NOT_WATCHED);
        if let Some(opened) = &mut self.closed {
            let end = allocation.address.0 + allocation.reserved;
            opened.retain(|page| !(allocation.address.0..end).contains(page));
        }
    }

    /// What the host did since this was last asked, and how many accesses there was no room for.
    pub(super) fn take_accesses(&mut self) -> (Vec<HostAccess>, u64) {
        let noted = LOG.take();
        if let Some(opened) = &mut self.closed {
            opened.extend(noted.iter().map(|noted| noted.address / PAGE * PAGE));
        }
        (noted.into_iter().map(access_of).collect(), LOG.lost.swap(0, Ordering::Relaxed))
    }
}

/// Makes room for the states of all pages, once.
fn keep_states() -> bool {
    if !STATES.load(Ordering::Acquire).is_null() {
        return true;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping replaces nothing.
    let states = unsafe { libc::mmap(std::ptr::null_mut(), PAGES, protection, flags, -1, 0) };
    if states == libc::MAP_FAILED {
        return false;
    }
    STATES.store(states.cast(), Ordering::Release);
    true
}

/// Sets the state of pages and opens or closes them accordingly.
fn change(address: u64, bytes: u64, state: u8) {
    let protection = match state {
        OPEN => libc::PROT_READ | libc::PROT_WRITE,
        READABLE => libc::PROT_READ,
        _ => libc::PROT_NONE,
    };
    // A fault finds a state that allows no less than the pages do.
    if protection == libc::PROT_NONE {
        set_states(address, bytes, state);
        // What cannot be closed stays open, and is not watched.
        protect(address, bytes, protection);
    } else {
        if !protect(address, bytes, protection) {
            // The system has no room for so many different pieces; this is one.
            protect(DEVICE_BASE, DEVICE_BYTES, libc::PROT_READ | libc::PROT_WRITE);
            LOG.lost.fetch_add(1, Ordering::Relaxed);
        }
        set_states(address, bytes, state);
    }
}

fn protect(address: u64, bytes: u64, protection: c_int) -> bool {
    // SAFETY: the range is page-aligned and inside the host's side of our own mapping.
    unsafe { libc::mprotect(address as *mut c_void, bytes as usize, protection) == 0 }
}

/// The state of the page of an address, once memory was closed.
fn state_of(address: u64) -> Option<u8> {
    let states = STATES.load(Ordering::Acquire);
    if states.is_null() || !is_device_address(address) {
        return None;
    }
    // SAFETY: there is a state for every page of device memory.
    let state = unsafe { &*states.add(((address - DEVICE_BASE) / PAGE) as usize) };
    Some(state.load(Ordering::Acquire))
}

fn set_states(address: u64, bytes: u64, state: u8) {
    let states = STATES.load(Ordering::Acquire);
    if states.is_null() {
        return;
    }
    let first = ((address - DEVICE_BASE) / PAGE) as usize;
    for page in first..first + (bytes / PAGE) as usize {
        // SAFETY: there is a state for every page of device memory.
        unsafe { &*states.add(page) }.store(state, Ordering::Release);
    }
}

/// A fault of a page that is closed is ours.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes the place of the fault and the state of the thread.
    let is_ours = unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        let is_ours = open_page((*info).si_addr() as u64, &*context.cast());
        *errno = saved;
        is_ours
    };
    if !is_ours {
        pass_on(signal, info, context);
    }
}

/// Opens a page that was closed by us, for the instruction that faulted. The answer is false where it was not.
fn open_page(address: u64, context: &libc::ucontext_t) -> bool {
    let registers = &context.uc_mcontext.gregs;
    let writes = registers[libc::REG_ERR as usize] & 2 != 0;
    match open_for(address, writes) {
        Opened::NotOurs => return false,
        Opened::Already => {}
        Opened::Now => {
            let instruction = registers[libc::REG_RIP as usize] as usize;
            let thread = thread_number();
            let asked_for = ASKED_FOR.load(Ordering::Acquire);
            LOG.note(Noted { address, bytes: None, writes, instruction, thread, asked_for });
        }
    }
    true
}

enum Opened {
    NotOurs,
    /// Another thread was faster.
    Already,
    Now,
}

/// Opens the page of an address as far as an access needs it.
fn open_for(address: u64, writes: bool) -> Opened {
    let page = address / PAGE * PAGE;
    match (state_of(address).unwrap_or(NOT_WATCHED), writes) {
        (NOT_WATCHED, _) => return Opened::NotOurs,
        (CLOSED, false) => change(page, PAGE, READABLE),
        (CLOSED | READABLE, true) => change(page, PAGE, OPEN),
        _ => return Opened::Already,
    }
    Opened::Now
}

fn thread_number() -> u64 {
    // SAFETY: the call has no precondition.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

/// The system is about to read or write memory for the program, at a place in its code: a page that is closed would
/// make it fail instead of fault.
pub fn system_uses_host_memory(address: usize, bytes: usize, writes: bool, instruction: usize) {
    let (start, end) = (address as u64, (address as u64).saturating_add(bytes as u64));
    if !is_device_address(start) || bytes == 0 {
        return;
    }
    let mut at = start;
    while at < end {
        let next = (at / PAGE + 1) * PAGE;
        if let Opened::Now = open_for(at, writes) {
            let bytes = Some(next.min(end) - at);
            let thread = thread_number();
            let asked_for = ASKED_FOR.load(Ordering::Acquire);
            LOG.note(Noted { address: at, bytes, writes, instruction, thread, asked_for });
        }
        at = next;
    }
}

/// Adds how many bytes the instruction of an access is about.
fn access_of(noted: Noted) -> HostAccess {
    let Noted { address, bytes, writes, instruction, thread, asked_for } = noted;
    let left = PAGE - address % PAGE;
    let bytes = bytes.unwrap_or_else(|| bytes_of(instruction)).clamp(1, left);
    HostAccess { address: DeviceAddress(address), bytes, writes, instruction, thread, asked_for }
}

/// How many bytes an instruction of this process reads or writes in memory.
fn bytes_of(instruction: usize) -> u64 {
    /// No instruction is longer.
    const LONGEST: usize = 15;
    let mut code = [0_u8; LONGEST];
    let from = libc::iovec { iov_base: instruction as *mut c_void, iov_len: LONGEST };
    let to = libc::iovec { iov_base: code.as_mut_ptr().cast(), iov_len: LONGEST };
    // The library may have been closed since; reading it this way cannot fault.
    // SAFETY: the system checks the address that is read, and the other place is our own.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    let Some(code) = usize::try_from(read).ok().and_then(|read| code.get(..read)) else { return 1 };
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    decoder.decode().memory_size().size() as u64
}
