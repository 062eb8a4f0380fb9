//! The memory of one call of the system, open until the call has returned.

use super::{Int, Long, Pointer};
use crate::process::call_site;
use std::mem::MaybeUninit;
use warpsan_runtime::{SystemUse, has_shared_memory, is_device_address};

/// What most calls pass; the rest is on the heap.
const FEW: usize = 4;
const PAGE: usize = 4096;
/// A `semid_ds`.
const SEMAPHORE_SET: usize = 104;
/// Requests of `ioctl` without an argument: whether a descriptor is closed at `exec`.
const ONE_ARGUMENT_LESS: [u32; 2] = [0x5450, 0x5451];
/// The system reads and writes no more at a time.
const MOST_BYTES: usize = 0x7fff_f000;
/// The system takes no longer lists.
const MOST_PIECES: usize = 1024;

/// The memory that a call passes to the system. Nothing of it is closed while this lives.
#[must_use = "the memory stays open while this lives"]
pub(crate) struct Uses {
    few: [Option<SystemUse>; FEW],
    more: Vec<SystemUse>,
}

impl Uses {
    pub(crate) fn new() -> Uses {
        Uses { few: [const { None }; FEW], more: Vec::new() }
    }

    /// The system reads bytes.
    #[inline]
    pub(crate) fn reads(&mut self, from: Pointer, bytes: usize) {
        self.range(from, bytes, false);
    }

    /// The system writes bytes.
    #[inline]
    pub(crate) fn writes(&mut self, to: Pointer, bytes: usize) {
        self.range(to, bytes, true);
    }

    /// The system reads so many things of a size.
    #[inline]
    pub(super) fn reads_list(&mut self, from: Pointer, count: usize, size: usize) {
        self.range(from, count.saturating_mul(size), false);
    }

    /// The system writes so many things of a size.
    #[inline]
    pub(super) fn writes_list(&mut self, to: Pointer, count: usize, size: usize) {
        self.range(to, count.saturating_mul(size), true);
    }

    #[inline]
    fn range(&mut self, address: Pointer, bytes: usize, writes: bool) {
        if is_device_address(address.addr() as u64) {
            self.open(address.addr(), bytes, writes);
        }
    }

    /// Opens memory. What the program finds in `errno` is not changed by that.
    #[cold]
    pub(super) fn open(&mut self, address: usize, bytes: usize, writes: bool) {
        // Nobody passes so much: it is an error, of which the system knows more.
        if bytes <= isize::MAX as usize {
            keeping_errno(|| {
                self.keep(SystemUse::begin(address, bytes.min(MOST_BYTES), writes, caller))
            });
        }
    }

    fn keep(&mut self, used: Option<SystemUse>) {
        let Some(used) = used else { return };
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(used),
            None => self.more.push(used),
        }
    }

    /// The system reads a string.
    #[inline]
    pub(crate) fn reads_text(&mut self, text: Pointer) {
        if is_device_address(text.addr() as u64) {
            self.text(text.addr());
        }
    }

    #[cold]
    fn text(&mut self, at: usize) {
        keeping_errno(|| {
            let mut next = Some(at);
            while let Some(at) = next {
                let used;
                (used, next) = SystemUse::begin_text(at, caller);
                self.keep(used);
            }
        });
    }

    /// The system reads a list of strings that null ends, and the strings.
    pub(crate) fn reads_texts(&mut self, list: Pointer) {
        if !has_shared_memory() {
            return;
        }
        let mut at = list.addr();
        loop {
            self.reads(std::ptr::without_provenance_mut(at), size_of::<usize>());
            let Some(text) = value::<usize>(at).filter(|text| *text != 0) else { return };
            self.reads_text(std::ptr::without_provenance_mut(text));
            at += size_of::<usize>();
        }
    }

    /// The system writes to memory as long as a number says, which it writes, too.
    pub(super) fn writes_counted(&mut self, to: Pointer, length: Pointer) {
        if !has_shared_memory() {
            return;
        }
        self.writes(length, size_of::<u32>());
        if let Some(length) = value::<u32>(length.addr()) {
            self.writes(to, length as usize);
        }
    }

    /// The system reads a list of pieces of memory, and reads the pieces.
    pub(super) fn reads_pieces(&mut self, list: Pointer, count: usize) {
        self.pieces(list, count, false);
    }

    /// The system reads a list of pieces of memory, and writes to the pieces.
    pub(super) fn writes_pieces(&mut self, list: Pointer, count: usize) {
        self.pieces(list, count, true);
    }

    fn pieces(&mut self, list: Pointer, count: usize, writes: bool) {
        if !has_shared_memory() || count > MOST_PIECES {
            return;
        }
        self.reads_list(list, count, size_of::<libc::iovec>());
        for index in 0..count {
            let at = list.addr().wrapping_add(index * size_of::<libc::iovec>());
            let Some(piece) = value::<[usize; 2]>(at) else { return };
            self.range(std::ptr::without_provenance_mut(piece[0]), piece[1], writes);
        }
    }

    /// The system sends a message, or receives one.
    pub(super) fn message(&mut self, message: Pointer, receives: bool) {
        if !has_shared_memory() {
            return;
        }
        self.range(message, size_of::<libc::msghdr>(), receives);
        let Some(message) = value::<[usize; 7]>(message.addr()) else { return };
        let pointer = |word: usize| std::ptr::without_provenance_mut(word);
        // A `msghdr`: name and its length, pieces and their count, control data and its length, flags.
        let [name, name_bytes, pieces, count, control, control_bytes, _] = message;
        self.range(pointer(name), name_bytes as u32 as usize, receives);
        self.pieces(pointer(pieces), count, receives);
        self.range(pointer(control), control_bytes, receives);
    }

    /// The system sends several messages, or receives them.
    pub(super) fn messages(&mut self, messages: Pointer, count: usize, receives: bool) {
        if !has_shared_memory() || count > MOST_PIECES {
            return;
        }
        let size = size_of::<libc::mmsghdr>();
        self.writes_list(messages, count, size);
        for index in 0..count {
            self.message(messages.wrapping_byte_add(index * size), receives);
        }
    }

    /// `ioctl`: the number of a request mostly says how much memory it is about.
    pub(super) fn device_request(&mut self, request: Long, argument: Pointer) {
        /// Bits of the size.
        const SIZE: u32 = 0x3fff;
        /// It is only read.
        const READ: u32 = 1;
        let request = request as u32;
        let left = PAGE - argument.addr() % PAGE;
        let bytes = match (request >> 16 & SIZE, request >> 8) {
            // Numbers that are older than this form: of terminals and files, and of networks.
            (0, 0x54) if ONE_ARGUMENT_LESS.contains(&request) => 0,
            (0, 0x54) => size_of::<libc::termios>().min(left),
            (0, 0x89) => size_of::<libc::ifreq>().min(left),
            (0, _) => left,
            (bytes, _) => bytes as usize,
        };
        self.range(argument, bytes, request >> 30 != READ);
    }

    /// `fcntl`: only some commands have a pointer, and others leave what was in the register.
    pub(super) fn lock_request(&mut self, command: Int, argument: Pointer) {
        match command {
            libc::F_GETLK | libc::F_OFD_GETLK => self.writes(argument, size_of::<libc::flock>()),
            libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK | libc::F_OFD_SETLKW => {
                self.reads(argument, size_of::<libc::flock>());
            }
            // `F_SETOWN_EX` and `F_GETOWN_EX`.
            15 => self.reads(argument, 8),
            16 => self.writes(argument, 8),
            // `F_GET_RW_HINT` and its relatives.
            1035 | 1037 => self.writes(argument, 8),
            1036 | 1038 => self.reads(argument, 8),
            _ => {}
        }
    }

    /// `prctl`, likewise.
    pub(super) fn process_request(&mut self, option: Int, argument: Pointer) {
        match option {
            libc::PR_SET_NAME => self.reads(argument, 16),
            libc::PR_GET_NAME => self.writes(argument, 16),
            libc::PR_GET_PDEATHSIG | libc::PR_GET_CHILD_SUBREAPER | libc::PR_GET_TSC => {
                self.writes(argument, 4);
            }
            _ => {}
        }
    }

    /// `semctl`, likewise. How many semaphores a set has is known to the system alone.
    pub(super) fn semaphore_request(&mut self, command: Int, argument: Pointer) {
        match command {
            libc::IPC_STAT => self.writes(argument, SEMAPHORE_SET),
            libc::IPC_SET => self.reads(argument, SEMAPHORE_SET),
            libc::GETALL => self.writes(argument, 2),
            libc::SETALL => self.reads(argument, 2),
            _ => {}
        }
    }

    /// The system reads and writes sets of so many descriptors.
    pub(super) fn sets(&mut self, sets: [Pointer; 3], descriptors: Int) {
        let words = usize::try_from(descriptors).unwrap_or(0).div_ceil(64);
        for set in sets {
            self.writes_list(set, words, 8);
        }
    }
}

impl Drop for Uses {
    fn drop(&mut self) {
        if self.few[0].is_some() {
            keeping_errno(|| {
                self.few = [const { None }; FEW];
                self.more.clear();
            });
        }
    }
}

/// The place in the program that makes the call.
fn caller() -> usize {
    call_site::caller().unwrap_or(0)
}

fn keeping_errno(body: impl FnOnce()) {
    // SAFETY: the place of `errno` is there for every thread.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *place };
    body();
    // SAFETY: as above.
    unsafe { *place = before };
}

/// A value of the program's memory; none where nothing is. The program may pass any address, and expects the system's
/// answer and no fault.
fn value<T: Copy>(at: usize) -> Option<T> {
    let mut place = MaybeUninit::<T>::uninit();
    // SAFETY: numbers, of which all bytes were written.
    copy(at, place.as_mut_ptr().cast(), size_of::<T>()).then(|| unsafe { place.assume_init() })
}

/// Copies memory of this process, without a fault where there is none.
fn copy(from: usize, to: Pointer, bytes: usize) -> bool {
    let to = libc::iovec { iov_base: to, iov_len: bytes };
    let from =
        libc::iovec { iov_base: std::ptr::with_exposed_provenance_mut(from), iov_len: bytes };
    let mut copied = 0;
    keeping_errno(|| {
        // By the number of the call: the function of this name comes here.
        // SAFETY: the system checks the address that is read, and the other place is the caller's.
        copied = unsafe {
            let process = libc::getpid();
            libc::syscall(
                libc::SYS_process_vm_readv,
                process,
                &to,
                1_usize,
                &from,
                1_usize,
                0_usize,
            )
        };
    });
    usize::try_from(copied) == Ok(bytes)
}
