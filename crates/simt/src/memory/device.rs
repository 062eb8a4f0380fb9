//! The memory of one device.

use super::allocations::{Allocation, AllocationKind, Allocations};
use super::host_side::{HostAccess, HostSide};
use super::long_files::without_signal_of_long_files;
use super::private::{Changes, PrivateMemory, PrivateView};
use super::program::ProgramAddress;
use super::registered::RegisteredRanges;
use super::space::{
    DEVICE_BASE, DEVICE_BYTES, MemoryError, PAGE, is_device_address, lock, map, map_again,
    map_without_file,
};
use super::writes::{PIECE, Writes};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};
use warpsan_model::DeviceAddress;

/// The memory of one device.
#[derive(Debug)]
pub struct DeviceMemory {
    pub(super) engine_side: NonNull<u8>,
    has_host_side: bool,
    host_side: Mutex<HostSide>,
    allocations: Mutex<Allocations>,
    registered: Mutex<RegisteredRanges>,
    /// Private views that are not in use. All are mapped at the start: the file is closed then, since descriptors belong to
    /// the program, which may put another file in its place.
    private: Mutex<Vec<PrivateMemory>>,
    /// Lists of changes that are not in use, for their memory.
    spare: Mutex<Vec<Changes>>,
    /// Tables of writes that are not in use, for the same reason.
    spare_writes: Mutex<Vec<Writes>>,
}

// SAFETY: the pointer is to a mapping that this value owns alone; nothing is tied to a thread.
unsafe impl Send for DeviceMemory {}
// SAFETY: the list of allocations is behind a lock; the bytes are reached through raw pointers
// alone, by one launch at a time, or by several that take turns; what the host does at the same time is
// as on a GPU.
unsafe impl Sync for DeviceMemory {}

impl DeviceMemory {
    /// Reserves the address space; no memory is used yet.
    pub fn reserve() -> Result<Self, MemoryError> {
        let failed = |what: &str| {
            Err(MemoryError::Mapping(format!("{what}: {}", std::io::Error::last_os_error())))
        };
        // SAFETY: the name is a C string; the call has no other precondition.
        let file = unsafe { libc::memfd_create(c"warpsan-device".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return failed("memfd_create");
        }
        // SAFETY: the descriptor was made just now and belongs to nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        // SAFETY: `file` is the descriptor from above.
        let lengthen = || unsafe { libc::ftruncate(file.as_raw_fd(), DEVICE_BYTES as libc::off_t) };
        if without_signal_of_long_files(lengthen) != 0 {
            return Self::without_file().map_or_else(|| failed("mmap"), Ok);
        }
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let engine_side = map(std::ptr::null_mut(), both, libc::MAP_SHARED, &file);
        let Some(engine_side) = engine_side else { return failed("mmap") };
        // A second session in the process finds the place taken. It works without the host's side.
        let place = DEVICE_BASE as *mut libc::c_void;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE;
        let host_side = map(place, libc::PROT_NONE, flags, &file);
        let private = PrivateMemory::several_of(&file)?;
        Ok(Self::of(engine_side, host_side.is_some(), private))
    }

    /// Memory without a file, where the process may not have so long a one (`ulimit -f`). There are no private views of it.
    fn without_file() -> Option<Self> {
        let engine_side = map_without_file()?;
        let host_side = map_again(engine_side, DEVICE_BASE as *mut libc::c_void);
        Some(Self::of(engine_side, host_side.is_some(), Vec::new()))
    }

    fn of(engine_side: NonNull<u8>, has_host_side: bool, private: Vec<PrivateMemory>) -> Self {
        DeviceMemory {
            engine_side,
            has_host_side,
            host_side: Mutex::new(HostSide::default()),
            allocations: Mutex::new(Allocations::new()),
            registered: Mutex::new(RegisteredRanges::default()),
            private: Mutex::new(private),
            spare: Mutex::new(Vec::new()),
            spare_writes: Mutex::new(Vec::new()),
        }
    }

    fn list(&self) -> MutexGuard<'_, Allocations> {
        lock(&self.allocations)
    }

    /// Takes memory. The first place that fits is used, so addresses repeat from run to run. Memory that was freed is
    /// used again only where there is no other room, or much was freed since.
    pub fn allocate(&self, bytes: u64, kind: AllocationKind) -> Result<DeviceAddress, MemoryError> {
        if kind.is_host_visible() && !self.has_host_side {
            return Err(MemoryError::NotHostVisible);
        }
        let allocation = {
            let mut list = self.list();
            let taken = list.take(bytes, kind);
            self.give_back_pages(&mut list);
            taken?
        };
        if kind.is_host_visible() {
            lock(&self.host_side).begin(&allocation);
        }
        Ok(allocation.address)
    }

    /// Gives memory back.
    pub fn free(&self, address: DeviceAddress) -> Result<(), MemoryError> {
        let gone = {
            let mut list = self.list();
            let gone = list.give_back(address)?;
            self.give_back_pages(&mut list);
            gone
        };
        if gone.kind.is_host_visible() {
            lock(&self.host_side).end(&gone);
        }
        Ok(())
    }

    /// Gives pages of freed memory back to the system, before anybody else can get that memory.
    fn give_back_pages(&self, list: &mut Allocations) {
        for pages in list.take_unneeded_pages() {
            let bytes = (pages.end - pages.start) as usize;
            // Where the system does not take them, they stay, and nothing else changes.
            // SAFETY: the pages are inside of the mapping, and of freed memory alone.
            unsafe { libc::madvise(self.pointer(pages.start).cast(), bytes, libc::MADV_REMOVE) };
        }
    }

    /// Names the allocation that begins at an address.
    pub fn set_label(&self, address: DeviceAddress, label: &str) {
        self.list().set_label(address, label);
    }

    /// Everything that is allocated, in the order of addresses.
    pub fn allocations(&self) -> Vec<Allocation> {
        self.list().live().cloned().collect()
    }

    /// Work is in flight: the host's first access to each page from now on is noted.
    pub fn watch_host(&self) {
        if self.has_host_side {
            lock(&self.host_side).close(|| self.list().host_visible());
        }
    }

    /// Nothing is in flight, and the host may do what it likes.
    pub fn leave_host_alone(&self) {
        if self.has_host_side {
            lock(&self.host_side).open(|| self.list().host_visible());
        }
    }

    /// What the host did while it was watched, since this was last asked, and how many accesses there was no
    /// room for.
    pub fn take_host_accesses(&self) -> (Vec<HostAccess>, u64) {
        match self.has_host_side {
            true => lock(&self.host_side).take_accesses(),
            false => (Vec::new(), 0),
        }
    }

    /// Bytes that are not allocated.
    pub fn free_bytes(&self) -> u64 {
        self.list().free_bytes()
    }

    /// Bytes that there are.
    pub fn total_bytes(&self) -> u64 {
        DEVICE_BYTES
    }

    /// Whether the address is one of device memory, allocated or not.
    pub fn is_device_address(&self, address: u64) -> bool {
        is_device_address(address)
    }

    /// The allocation that an address lies in.
    pub fn allocation_at(&self, address: DeviceAddress) -> Option<Allocation> {
        self.list().at(address.0).cloned()
    }

    /// Copies from the program's memory to the device's.
    pub fn write_from(
        &self,
        to: DeviceAddress,
        from: ProgramAddress,
        bytes: u64,
    ) -> Result<(), MemoryError> {
        // SAFETY: `ProgramAddress::new` has made sure of the range that the call names.
        let source = unsafe { std::slice::from_raw_parts(from.pointer(), bytes as usize) };
        self.write(to, source)
    }

    /// Copies from the device's memory to the program's.
    pub fn read_into(
        &self,
        from: DeviceAddress,
        to: ProgramAddress,
        bytes: u64,
    ) -> Result<(), MemoryError> {
        // SAFETY: `ProgramAddress::new` has made sure of the range that the call names.
        let target = unsafe { std::slice::from_raw_parts_mut(to.pointer(), bytes as usize) };
        self.read(from, target)
    }

    /// Lets kernels use a range of the host's memory, at its own address. The answer is false where a
    /// part of it is registered already, or is device memory.
    pub fn register_host_range(&self, address: ProgramAddress, bytes: u64) -> bool {
        let address = address.get();
        let last = address.saturating_add(bytes);
        let is_device_memory = address < DEVICE_BASE + DEVICE_BYTES && last > DEVICE_BASE;
        !is_device_memory && lock(&self.registered).add(address, bytes)
    }

    /// Takes a range of the host's memory back by its first address, and says how long it was.
    pub fn unregister_host_range(&self, address: u64) -> Option<u64> {
        lock(&self.registered).remove(address)
    }

    /// Whether so many bytes lie inside of one range of the host's memory that is registered.
    pub fn is_registered(&self, address: u64, bytes: u64) -> bool {
        lock(&self.registered).contains(address, bytes)
    }

    /// Whether any memory of the host is registered.
    pub fn has_registered_ranges(&self) -> bool {
        !lock(&self.registered).is_empty()
    }

    /// A private view of the memory as it is now, if one is left. There is one at least, and one for each core; none where
    /// device memory is in no file.
    pub(crate) fn private(&self) -> Option<PrivateMemory> {
        lock(&self.private).pop()
    }

    /// A view of the memory as it is now, for somebody who runs blocks on it; none if all are in use, or there are none.
    pub fn take_view(&self) -> Option<PrivateView> {
        self.private().map(PrivateView::new)
    }

    /// Gives a view back, without changes.
    pub fn give_view_back(&self, view: PrivateView) {
        self.keep_private(view.into_memory());
    }

    /// Changes bytes of a piece of memory, whoever it belongs to: those whose bit is set. No kernel runs on it now.
    pub fn put_bytes(&self, address: u64, content: &[u8; PIECE], changed: u64) {
        assert!(is_device_address(address) && address.is_multiple_of(PIECE as u64));
        for (offset, byte) in content.iter().enumerate() {
            if changed >> offset & 1 == 1 {
                // SAFETY: the piece is inside of device memory, all of which is mapped, and no kernel runs on it now.
                unsafe { self.pointer(address).wrapping_add(offset).write(*byte) };
            }
        }
    }

    /// Gives a private view back, without changes.
    pub(crate) fn keep_private(&self, view: PrivateMemory) {
        lock(&self.private).push(view);
    }

    /// A list of changes, with room from earlier ones.
    pub(crate) fn spare_changes(&self) -> Changes {
        let spare = lock(&self.spare).pop();
        spare.unwrap_or_default()
    }

    /// Keeps the room of a list of changes for another one.
    pub(crate) fn keep_changes(&self, changes: Changes) {
        lock(&self.spare).push(changes);
    }

    /// A table of writes, with nothing in it.
    pub(crate) fn take_writes(&self) -> Writes {
        let spare = lock(&self.spare_writes).pop();
        spare.unwrap_or_else(Writes::new)
    }

    /// Keeps the table for somebody else.
    pub(crate) fn give_writes_back(&self, mut writes: Writes) {
        writes.clear();
        lock(&self.spare_writes).push(writes);
    }

    /// Puts what a part of a launch wrote in place. No kernel runs on the memory now.
    pub(crate) fn apply(&self, changes: &Changes) {
        for (address, content, written) in changes.pages() {
            // SAFETY: the page is inside of device memory, and no kernel runs on it now.
            let target =
                unsafe { std::slice::from_raw_parts_mut(self.pointer(address), PAGE as usize) };
            for ((target, new), written) in target.iter_mut().zip(content).zip(written) {
                *target = (*target & !written) | (new & written);
            }
        }
    }

    /// What an address that is no good was meant for, in words.
    pub(crate) fn describe(&self, address: u64) -> String {
        self.list().describe(address)
    }

    /// Copies out of device memory.
    pub fn read(&self, from: DeviceAddress, to: &mut [u8]) -> Result<(), MemoryError> {
        let pointer = self.range(from, to.len() as u64)?;
        // SAFETY: `range` checked that so many bytes are inside the mapping; `to` is other memory.
        unsafe { std::ptr::copy_nonoverlapping(pointer, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// Copies into device memory.
    pub fn write(&self, to: DeviceAddress, from: &[u8]) -> Result<(), MemoryError> {
        let pointer = self.range(to, from.len() as u64)?;
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), pointer, from.len()) };
        Ok(())
    }

    /// Copies inside device memory; the ranges may overlap.
    pub fn copy(
        &self,
        to: DeviceAddress,
        from: DeviceAddress,
        bytes: u64,
    ) -> Result<(), MemoryError> {
        let (source, target) = (self.range(from, bytes)?, self.range(to, bytes)?);
        // SAFETY: both ranges were checked; `copy` allows overlap.
        unsafe { std::ptr::copy(source, target, bytes as usize) };
        Ok(())
    }

    /// Fills with one byte.
    pub fn fill(&self, at: DeviceAddress, byte: u8, bytes: u64) -> Result<(), MemoryError> {
        let pointer = self.range(at, bytes)?;
        // SAFETY: the range was checked.
        unsafe { std::ptr::write_bytes(pointer, byte, bytes as usize) };
        Ok(())
    }

    /// Refuses a range that is not inside of one allocation.
    pub fn check_range(&self, address: DeviceAddress, bytes: u64) -> Result<(), MemoryError> {
        self.range(address, bytes).map(|_| ())
    }

    fn range(&self, address: DeviceAddress, bytes: u64) -> Result<*mut u8, MemoryError> {
        if bytes == 0 {
            return Ok(self.engine_side.as_ptr());
        }
        let list = self.list();
        match list.at(address.0) {
            Some(allocation) if allocation.contains(address.0, bytes) => {
                Ok(self.pointer(address.0))
            }
            _ => {
                let why = list.describe(address.0);
                Err(MemoryError::OutOfBounds { address, bytes, why })
            }
        }
    }

    /// The engine's side of an address that is known to be device memory.
    fn pointer(&self, address: u64) -> *mut u8 {
        debug_assert!(self.is_device_address(address));
        // SAFETY: allocations lie inside the mapping, so the offset is inside it too.
        unsafe { self.engine_side.as_ptr().add((address - DEVICE_BASE) as usize) }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: both mappings are ours, and nothing points into them any more.
        unsafe {
            libc::munmap(self.engine_side.as_ptr().cast(), DEVICE_BYTES as usize);
            if self.has_host_side {
                libc::munmap(DEVICE_BASE as *mut libc::c_void, DEVICE_BYTES as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_side::SystemUse;
    use super::*;

    #[test]
    fn what_is_outside_of_an_allocation_is_refused() {
        let memory = DeviceMemory::reserve().unwrap();
        let at = memory.allocate(8, AllocationKind::Device).unwrap();
        memory.write(at, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut bytes = [0; 9];
        assert!(memory.read(at, &mut bytes).is_err());
        memory.read(at, &mut bytes[..2]).unwrap();
        assert_eq!(bytes[..2], [1, 2]);
        assert!(memory.fill(DeviceAddress(at.0 + 4), 0, 8).is_err());
    }

    #[test]
    fn pages_of_freed_memory_are_given_back() {
        let memory = DeviceMemory::reserve().unwrap();
        let resident = |at: DeviceAddress, bytes: u64| {
            let mut pages = vec![0u8; bytes.div_ceil(PAGE) as usize];
            let place = memory.pointer(at.0).cast();
            // SAFETY: the range is mapped, and there is a byte for each of its pages.
            let answer = unsafe { libc::mincore(place, bytes as usize, pages.as_mut_ptr()) };
            assert_eq!(answer, 0);
            pages.iter().filter(|page| **page & 1 == 1).count()
        };
        let kept = memory.allocate(PAGE, AllocationKind::Device).unwrap();
        memory.fill(kept, 7, PAGE).unwrap();
        let bytes = 64 << 20;
        let at = memory.allocate(bytes, AllocationKind::Device).unwrap();
        memory.fill(at, 7, bytes).unwrap();
        assert_eq!(resident(at, bytes), (bytes / PAGE) as usize);
        memory.free(at).unwrap();
        assert_eq!((resident(at, bytes), resident(kept, PAGE)), (0, 1));
    }

    #[test]
    fn a_copy_from_freed_memory_says_so() {
        let memory = DeviceMemory::reserve().unwrap();
        let at = memory.allocate(8, AllocationKind::Device).unwrap();
        memory.set_label(at, "allocation 0 of 8 bytes");
        memory.free(at).unwrap();
        let other = memory.allocate(8, AllocationKind::Device).unwrap();
        assert_ne!(at, other);
        let error = memory.read(at, &mut [0; 4]).unwrap_err().to_string();
        assert!(error.ends_with("it was freed: byte 0 of `allocation 0 of 8 bytes`, which has 8 bytes at 0x300000000000"), "{error}");
    }

    /// Other tests of this process may have the fixed addresses for a while.
    fn memory_at_fixed_addresses() -> DeviceMemory {
        let mut tries = (0..5000).map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            DeviceMemory::reserve().unwrap()
        });
        tries.find(|memory| memory.has_host_side).expect("the fixed addresses")
    }

    #[test]
    fn the_host_uses_page_locked_memory_at_its_device_address() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(100, AllocationKind::Pinned).unwrap();
        assert_eq!(at.0 % PAGE, 0);
        let host: *mut u8 = std::ptr::with_exposed_provenance_mut(at.0 as usize);
        // SAFETY: the memory is open to the host until it is freed.
        unsafe { host.add(99).write(7) };
        let mut byte = [0];
        memory.read(DeviceAddress(at.0 + 99), &mut byte).unwrap();
        assert_eq!(byte, [7]);
        memory.free(at).unwrap();
    }

    #[test]
    fn the_first_accesses_of_the_host_to_a_page_are_noted_while_it_is_watched() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(3 * PAGE, AllocationKind::Managed).unwrap();
        let host: *mut u64 = std::ptr::with_exposed_provenance_mut(at.0 as usize);
        let noted = || {
            let (accesses, lost) = memory.take_host_accesses();
            assert_eq!(lost, 0);
            let short = |access: HostAccess| (access.address.0 - at.0, access.bytes, access.writes);
            accesses.into_iter().map(short).collect::<Vec<_>>()
        };
        // SAFETY: the memory is open to the host, or opened by its accesses, until it is freed.
        unsafe {
            host.write_volatile(7);
            assert_eq!(noted(), [], "nobody watches");
            memory.watch_host();
            assert_eq!(host.add(1).read_volatile(), 0);
            assert_eq!(host.read_volatile(), 7);
            host.cast::<u8>().add(3).write_volatile(1);
            host.add(1).write_volatile(1);
            host.add(512 + 2).write_volatile(1);
            host.add(512).read_volatile();
            assert_eq!(noted(), [(8, 8, false), (3, 1, true), (PAGE + 16, 8, true)]);
            memory.watch_host();
            host.add(1).read_volatile();
            assert_eq!(noted(), [(8, 8, false)], "the page was closed again");
            memory.leave_host_alone();
            host.add(1024).write_volatile(1);
            assert_eq!(noted(), []);
        }
        memory.watch_host();
        memory.free(at).unwrap();
    }

    /// Lets the C library read memory.
    #[inline(never)]
    extern "C" fn read_by_library(from: *const u8, to: &mut [u8; 64]) {
        // SAFETY: there is as much memory at both.
        unsafe { libc::memcpy(to.as_mut_ptr().cast(), from.cast(), to.len()) };
        std::hint::black_box(to);
    }

    #[test]
    fn who_called_the_function_that_accesses_memory_is_known() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(PAGE, AllocationKind::Managed).unwrap();
        memory.watch_host();
        let mut to = [1; 64];
        read_by_library(std::ptr::with_exposed_provenance(at.0 as usize), &mut to);
        assert_eq!(to, [0; 64]);
        let accesses = memory.take_host_accesses().0;
        let [access] = &accesses[..] else { panic!("{accesses:?}") };
        let start = read_by_library as *const () as usize;
        let is_of_caller = |instruction: usize| (start..start + 512).contains(&instruction);
        // A compiler may copy so little itself.
        let way = [&[access.instruction][..], &access.callers].concat();
        assert!(way.iter().any(|instruction| is_of_caller(*instruction)), "{start:#x} {access:x?}");
        memory.free(at).unwrap();
    }

    /// What the host did since this was last asked, by places in an allocation.
    fn noted(memory: &DeviceMemory, at: DeviceAddress) -> Vec<(u64, u64, bool)> {
        let short = |access: HostAccess| (access.address.0 - at.0, access.bytes, access.writes);
        memory.take_host_accesses().0.into_iter().map(short).collect()
    }

    /// Has the system write a byte, and says whether it could.
    fn system_writes(at: u64) -> bool {
        // SAFETY: the system checks the address, and gives the descriptors of a new pipe.
        unsafe {
            let mut both = [0; 2];
            assert_eq!(libc::pipe(both.as_mut_ptr()), 0);
            assert_eq!(libc::write(both[1], [9_u8].as_ptr().cast(), 1), 1);
            let read = libc::read(both[0], at as *mut libc::c_void, 1);
            libc::close(both[0]);
            libc::close(both[1]);
            read == 1
        }
    }

    #[test]
    fn memory_that_the_system_uses_stays_open_while_others_begin_work() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(3 * PAGE, AllocationKind::Pinned).unwrap();
        memory.watch_host();
        assert!(!system_writes(at.0), "the page is closed");
        let used = SystemUse::begin(at.0 as usize + 8, PAGE as usize, true, || 7);
        assert!(system_writes(at.0 + 8));
        assert_eq!(noted(&memory, at), [(8, PAGE - 8, true), (PAGE, 8, true)]);
        // Somebody else launches.
        memory.watch_host();
        assert!(system_writes(at.0 + 8) && system_writes(at.0 + PAGE + 7));
        assert!(!system_writes(at.0 + 2 * PAGE), "nobody uses this one");
        assert_eq!(noted(&memory, at), []);
        drop(used);
        assert_eq!(noted(&memory, at), [(8, PAGE - 8, true), (PAGE, 8, true)], "it lasted so long");
        memory.watch_host();
        assert!(!system_writes(at.0 + 8), "it is closed again");
        memory.leave_host_alone();
        memory.free(at).unwrap();
    }

    #[test]
    fn memory_that_is_in_use_stays_open_when_work_begins_for_the_first_time() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(2 * PAGE, AllocationKind::Managed).unwrap();
        let used = SystemUse::begin(at.0 as usize, 4, false, || 7);
        memory.watch_host();
        assert!(system_writes(at.0));
        assert!(!system_writes(at.0 + PAGE));
        drop(used);
        assert_eq!(noted(&memory, at), [(0, 4, false)]);
        memory.leave_host_alone();
        memory.free(at).unwrap();
    }

    #[test]
    fn a_string_is_open_up_to_its_end() {
        let memory = memory_at_fixed_addresses();
        let at = memory.allocate(2 * PAGE, AllocationKind::Pinned).unwrap();
        let text = at.0 + PAGE - 3;
        memory.write(DeviceAddress(text), b"words\0").unwrap();
        memory.watch_host();
        let (first, next) = SystemUse::begin_text(text as usize, || 7);
        assert_eq!(next, Some((at.0 + PAGE) as usize));
        let (second, next) = SystemUse::begin_text((at.0 + PAGE) as usize, || 7);
        assert_eq!(next, None);
        assert_eq!(noted(&memory, at), [(PAGE - 3, 3, false), (PAGE, 3, false)]);
        drop((first, second));
        memory.leave_host_alone();
        memory.free(at).unwrap();
    }

    #[test]
    fn memory_without_a_file_has_both_sides_too() {
        let mut tries = (0..5000).filter_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            DeviceMemory::without_file().filter(|memory| memory.has_host_side)
        });
        let memory = tries.next().expect("the fixed addresses");
        let at = memory.allocate(100, AllocationKind::Pinned).unwrap();
        let host: *mut u8 = std::ptr::with_exposed_provenance_mut(at.0 as usize);
        // SAFETY: the memory is open to the host until it is freed.
        unsafe { host.add(99).write(7) };
        let mut byte = [0];
        memory.read(DeviceAddress(at.0 + 99), &mut byte).unwrap();
        assert_eq!(byte, [7]);
        assert!(memory.private().is_none());
        memory.free(at).unwrap();
    }

    #[test]
    fn device_memory_cannot_be_registered() {
        let memory = DeviceMemory::reserve().unwrap();
        let register = |address, bytes| {
            // SAFETY: nothing runs, so nothing is read or written there.
            memory.register_host_range(unsafe { ProgramAddress::new(address) }, bytes)
        };
        assert!(!register(DEVICE_BASE + 8, 8));
        assert!(!register(DEVICE_BASE - 8, 9));
        assert!(register(DEVICE_BASE - 8, 8));
        assert!(memory.has_registered_ranges() && memory.is_registered(DEVICE_BASE - 1, 1));
        assert_eq!(memory.unregister_host_range(DEVICE_BASE - 8), Some(8));
        assert!(!memory.has_registered_ranges());
    }
}
