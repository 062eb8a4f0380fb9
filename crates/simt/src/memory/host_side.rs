//! Accesses of the host to memory that kernels use too, caught by page protection.
//!
//! While work is in flight, the pages of managed and page-locked memory are closed on the host's side. The
//! first read of a page faults, is noted, and opens the page for reading; the first write opens it
//! altogether. The engine has a mapping of its own, which is never closed.
//!
//! The system itself does not fault: a call with a page that is closed answers `EFAULT`. So the pages of a call are
//! opened before it ([`SystemUse`]), and stay open until it has returned, whatever work others begin meanwhile.
//!
//! The handler of the fault may interrupt the program anywhere: it takes no lock that anybody holds for long,
//! allocates nothing, and calls nothing but `mprotect`, `gettid`, `process_vm_readv` and `pthread_sigmask`.

use super::allocations::Allocation;
use super::callers::{Callers, StackTop};
use super::faults::{pass_on, watch_faults};
use super::short_lock::ShortLock;
use super::space::{DEVICE_BASE, DEVICE_BYTES, PAGE, is_device_address};
use iced_x86::{Decoder, DecoderOptions};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU64, AtomicUsize, Ordering,
};
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
    /// Where the function was called that it is in, as far as is known, and so on outwards.
    pub callers: Callers,
    /// The number that the system gave the thread.
    pub thread: u64,
    /// How much work the program had asked for by then ([`set_asked_for`]).
    pub asked_for: u64,
    /// When it was, in the order of what threads of the host do to each other ([`advance_host_time`]).
    pub time: u64,
}

/// How much work the program has asked for, which accesses are noted with.
static ASKED_FOR: AtomicU64 = AtomicU64::new(0);

/// So much work was asked for.
pub fn set_asked_for(count: u64) {
    ASKED_FOR.store(count, Ordering::Release);
}

/// A count that grows where a thread of the host has synchronised, which accesses are noted with.
static HOST_TIME: AtomicU64 = AtomicU64::new(0);

/// A thread of the host has synchronised. The answer is when, and how much work was asked for by then.
pub fn advance_host_time() -> (u64, u64) {
    (HOST_TIME.fetch_add(1, Ordering::AcqRel) + 1, ASKED_FOR.load(Ordering::Acquire))
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
/// It would be closed if the system did not use it for a call of the program.
const KEPT: u8 = 4;

const PAGES: usize = (DEVICE_BYTES / PAGE) as usize;

/// The states of all pages, once memory was closed. Zero pages that are not touched cost nothing.
static STATES: AtomicPtr<AtomicU8> = AtomicPtr::new(std::ptr::null_mut());

/// For each page, how many calls of the system use it now; once one did.
static USES: AtomicPtr<AtomicU16> = AtomicPtr::new(std::ptr::null_mut());

/// How many calls of the system use pages now.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// There is memory, or was, that the host may use.
static IS_SHARED: AtomicBool = AtomicBool::new(false);

/// Whoever changes pages has this: of two who do, neither undoes what the other needs.
static CHANGING: ShortLock = ShortLock::new();

/// Accesses between two looks at them; more are counted only.
const MOST_ACCESSES: usize = 1 << 16;

struct Log {
    busy: ShortLock,
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
    stack: StackTop,
    thread: u64,
    asked_for: u64,
    time: u64,
}

// SAFETY: the entries are used by whoever has set `busy`, and by nobody else.
unsafe impl Sync for Log {}

static LOG: Log = Log {
    busy: ShortLock::new(),
    count: AtomicUsize::new(0),
    lost: AtomicU64::new(0),
    entries: UnsafeCell::new([const { MaybeUninit::uninit() }; MOST_ACCESSES]),
};

impl Log {
    /// Runs something with the entries.
    fn with<T>(&self, body: impl FnOnce(&mut [MaybeUninit<Noted>; MOST_ACCESSES]) -> T) -> T {
        // SAFETY: whoever has the lock has the entries, and nobody else.
        self.busy.hold(|| body(unsafe { &mut *self.entries.get() }))
    }

    fn note(&self, noted: Noted) {
        let written = self.with(|entries| {
            let index = self.count.load(Ordering::Relaxed);
            let entry = entries.get_mut(index).map(|entry| entry.write(noted));
            self.count.store(index + usize::from(entry.is_some()), Ordering::Relaxed);
            entry.is_some()
        });
        if !written {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn take(&self) -> Vec<Noted> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        let room = Vec::with_capacity(self.count.load(Ordering::Relaxed) + 64);
        self.with(|entries| {
            let mut taken = room;
            let count = self.count.swap(0, Ordering::Relaxed);
            // SAFETY: so many entries were written.
            taken.extend(entries[..count].iter().map(|entry| unsafe { entry.assume_init() }));
            taken
        })
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
                if !opened.is_empty() {
                    CHANGING.hold(|| {
                        for range in opened.chunk_by(|one, next| one + PAGE == *next) {
                            close(range[0], range.len() as u64 * PAGE);
                        }
                    });
                }
                opened.clear();
            }
            None => {
                let visible = visible();
                if visible.is_empty() || !keep_states() || !watch_faults(on_fault) {
                    return;
                }
                CHANGING.hold(|| {
                    for allocation in &visible {
                        close(allocation.address.0, allocation.reserved);
                    }
                });
                self.closed = Some(Vec::new());
            }
        }
    }

    /// Opens all memory that the host may use.
    pub(super) fn open(&mut self, visible: impl FnOnce() -> Vec<Allocation>) {
        if self.closed.take().is_some() {
            let visible = visible();
            CHANGING.hold(|| {
                for allocation in &visible {
                    change(allocation.address.0, allocation.reserved, OPEN);
                }
            });
        }
    }

    /// An allocation that the host may use is there; it is open until memory is closed the next time.
    pub(super) fn begin(&mut self, allocation: &Allocation) {
        IS_SHARED.store(true, Ordering::Relaxed);
        CHANGING.hold(|| change(allocation.address.0, allocation.reserved, OPEN));
        if let Some(opened) = &mut self.closed {
            let start = allocation.address.0;
            opened.extend((start..start + allocation.reserved).step_by(PAGE as usize));
        }
    }

    /// An allocation is gone.
    pub(super) fn end(&mut self, allocation: &Allocation) {
        CHANGING.hold(|| change(allocation.address.0, allocation.reserved, NOT_WATCHED));
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
    !STATES.load(Ordering::Acquire).is_null() || room_for(&STATES)
}

/// Makes room for how often pages are used, once.
fn keep_uses() -> bool {
    !USES.load(Ordering::Acquire).is_null() || room_for(&USES)
}

/// Makes room for a number of each page, which is zero. Whoever does it has [`CHANGING`], or nobody else can.
fn room_for<T>(place: &AtomicPtr<T>) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let bytes = PAGES * size_of::<T>();
    // SAFETY: a new mapping replaces nothing.
    let room = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if room == libc::MAP_FAILED {
        return false;
    }
    place.store(room.cast(), Ordering::Release);
    true
}

/// Closes pages, but for those that the system uses. [`CHANGING`] is held.
fn close(address: u64, bytes: u64) {
    if CALLS.load(Ordering::Relaxed) == 0 {
        return change(address, bytes, CLOSED);
    }
    let mut from = address;
    for page in (address..address + bytes).step_by(PAGE as usize) {
        if uses_of(page).is_some_and(|uses| uses.load(Ordering::Relaxed) > 0) {
            if from < page {
                change(from, page - from, CLOSED);
            }
            set_states(page, PAGE, KEPT);
            from = page + PAGE;
        }
    }
    if from < address + bytes {
        change(from, address + bytes - from, CLOSED);
    }
}

/// How many calls of the system use the page of an address, once one did.
fn uses_of(address: u64) -> Option<&'static AtomicU16> {
    let uses = USES.load(Ordering::Acquire);
    if uses.is_null() || !is_device_address(address) {
        return None;
    }
    // SAFETY: there is a number for every page of device memory, for the rest of the process.
    Some(unsafe { &*uses.add(((address - DEVICE_BASE) / PAGE) as usize) })
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
extern "C-unwind" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
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
    match CHANGING.hold(|| open_for(address, writes)) {
        Opened::NotOurs => return false,
        Opened::Already => {}
        Opened::Now => {
            let instruction = registers[libc::REG_RIP as usize] as usize;
            let stack = StackTop::at(registers[libc::REG_RSP as usize] as usize, copy_of);
            let thread = thread_number();
            let (asked_for, time) = now();
            let bytes = None;
            LOG.note(Noted { address, bytes, writes, instruction, stack, thread, asked_for, time });
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

/// Opens the page of an address as far as an access needs it. [`CHANGING`] is held.
fn open_for(address: u64, writes: bool) -> Opened {
    let page = address / PAGE * PAGE;
    match (state_of(address).unwrap_or(NOT_WATCHED), writes) {
        (NOT_WATCHED, _) => return Opened::NotOurs,
        (CLOSED, false) => change(page, PAGE, READABLE),
        (CLOSED | READABLE, true) => change(page, PAGE, OPEN),
        (KEPT, false) => {}
        (KEPT, true) => {
            protect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE);
        }
        _ => return Opened::Already,
    }
    Opened::Now
}

/// What an access is noted with.
fn now() -> (u64, u64) {
    (ASKED_FOR.load(Ordering::Acquire), HOST_TIME.load(Ordering::Acquire))
}

fn thread_number() -> u64 {
    // SAFETY: the call has no precondition.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

/// Whether there is memory, or was, that both the host and devices may use.
pub fn has_shared_memory() -> bool {
    IS_SHARED.load(Ordering::Relaxed)
}

/// Memory that the system reads or writes for a call of the program: it stays open until this is dropped.
#[derive(Debug)]
#[must_use = "the memory stays open while this lives"]
pub struct SystemUse {
    address: u64,
    end: u64,
    writes: bool,
    /// Where the program makes the call.
    instruction: Option<usize>,
    caller: fn() -> usize,
}

impl SystemUse {
    /// Opens memory for a call that is about to be made. An access that has to be noted is one of the place that `caller`
    /// knows. None where the memory is not both the host's and the devices'.
    pub fn begin(
        address: usize,
        bytes: usize,
        writes: bool,
        caller: fn() -> usize,
    ) -> Option<SystemUse> {
        let address = address as u64;
        if !is_device_address(address) || bytes == 0 || !has_shared_memory() {
            return None;
        }
        let end = address.saturating_add(bytes as u64).min(DEVICE_BASE + DEVICE_BYTES);
        let mut used = SystemUse { address, end, writes, instruction: None, caller };
        let is_counted = CHANGING.hold(|| {
            let is_counted = keep_uses();
            if is_counted {
                CALLS.fetch_add(1, Ordering::Relaxed);
                used.count(1);
            }
            is_counted
        });
        for (at, bytes) in used.pages() {
            if let Opened::Now = CHANGING.hold(|| open_for(at, writes)) {
                used.note(at, bytes);
            }
        }
        // There is no room for the numbers: the memory is open, and may be closed by others.
        if !is_counted {
            std::mem::forget(used);
            return None;
        }
        Some(used)
    }

    /// Opens a string for a call that is about to be made, up to the zero that ends it or to the end of a page. It says
    /// where it goes on if it has not ended.
    pub fn begin_text(address: usize, caller: fn() -> usize) -> (Option<SystemUse>, Option<usize>) {
        let mut page = [0_u8; PAGE as usize];
        let left = &mut page[..(PAGE - address as u64 % PAGE) as usize];
        if !is_device_address(address as u64) {
            return (None, None);
        }
        // To look for its end is no access of the program.
        let copied = CHANGING.hold(|| {
            let start = address as u64 / PAGE * PAGE;
            let is_closed = state_of(start) == Some(CLOSED);
            if is_closed {
                protect(start, PAGE, libc::PROT_READ);
            }
            let copied = copy_of(address, left);
            if is_closed {
                protect(start, PAGE, libc::PROT_NONE);
            }
            copied
        });
        // Where nothing is, the system will say so.
        if copied < left.len() {
            return (None, None);
        }
        let length = left.iter().position(|byte| *byte == 0);
        let bytes = length.map_or(left.len(), |length| length + 1);
        let next = length.is_none().then_some(address + bytes);
        (SystemUse::begin(address, bytes, false, caller), next)
    }

    /// The part of each page.
    fn pages(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let end = self.end;
        let next = move |at: u64| (at / PAGE + 1) * PAGE;
        let first = (self.address < end).then_some(self.address);
        let starts = std::iter::successors(first, move |at| Some(next(*at)).filter(|at| *at < end));
        starts.map(move |at| (at, next(at).min(end) - at))
    }

    fn count(&self, change: u16) {
        for (at, _) in self.pages() {
            if let Some(uses) = uses_of(at) {
                uses.fetch_add(change, Ordering::Relaxed);
            }
        }
    }

    fn note(&mut self, address: u64, bytes: u64) {
        let instruction = *self.instruction.get_or_insert_with(self.caller);
        let (writes, thread) = (self.writes, thread_number());
        let (asked_for, time) = now();
        LOG.note(Noted {
            address,
            bytes: Some(bytes),
            writes,
            instruction,
            // It is the program's own already.
            stack: StackTop::UNKNOWN,
            thread,
            asked_for,
            time,
        });
    }
}

impl Drop for SystemUse {
    /// The call has returned. It was an access all the time: also after work that was begun meanwhile.
    fn drop(&mut self) {
        CHANGING.hold(|| {
            CALLS.fetch_sub(1, Ordering::Relaxed);
            self.count(u16::MAX);
        });
        for (at, bytes) in self.pages() {
            let is_kept = CHANGING.hold(|| {
                let is_kept = state_of(at) == Some(KEPT);
                if is_kept && uses_of(at).is_none_or(|uses| uses.load(Ordering::Relaxed) == 0) {
                    change(at / PAGE * PAGE, PAGE, if self.writes { OPEN } else { READABLE });
                }
                is_kept
            });
            if is_kept {
                self.note(at, bytes);
            }
        }
    }
}

/// Adds how many bytes the instruction of an access is about.
fn access_of(noted: Noted) -> HostAccess {
    let Noted { address, bytes, writes, instruction, stack, thread, asked_for, time } = noted;
    let left = PAGE - address % PAGE;
    let bytes = bytes.unwrap_or_else(|| bytes_of(instruction)).clamp(1, left);
    HostAccess {
        address: DeviceAddress(address),
        bytes,
        writes,
        instruction,
        callers: stack.callers(copy_of),
        thread,
        asked_for,
        time,
    }
}

/// How many bytes an instruction of this process reads or writes in memory.
fn bytes_of(instruction: usize) -> u64 {
    /// No instruction is longer.
    const LONGEST: usize = 15;
    let mut bytes = [0_u8; LONGEST];
    let copied = copy_of(instruction, &mut bytes);
    // The library may have been closed since.
    let Some(code @ [_, ..]) = bytes.get(..copied) else { return 1 };
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    decoder.decode().memory_size().size() as u64
}

/// Copies memory of this process, and says how much was there. Where nothing is, this does not fault.
fn copy_of(from: usize, to: &mut [u8]) -> usize {
    let source = libc::iovec { iov_base: from as *mut c_void, iov_len: to.len() };
    let target = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    // By its number, since functions of the C library may come here first.
    // SAFETY: the system checks the address that is read, and the other place is the caller's.
    let copied = unsafe {
        let process = libc::getpid();
        libc::syscall(
            libc::SYS_process_vm_readv,
            process,
            &target,
            1_usize,
            &source,
            1_usize,
            0_usize,
        )
    };
    usize::try_from(copied).unwrap_or(0)
}
