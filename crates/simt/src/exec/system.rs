//! Functions that the system provides to kernels: printing, memory, assertions.

use super::addressing::{Attempt, read_local, write_local};
use super::core::{Core, Next, Running};
use crate::block::BlockInfo;
use crate::memory::{AllocationKind, Window, is_device_address};
use crate::outcome::{Fault, FaultKind};
use crate::printing::{self, Argument};
use crate::target::Target;
use crate::warp::{Warp, lanes};
use warpsan_event::Event;
use warpsan_ir::{MemorySpace, SystemCall, SystemFunction};
use warpsan_model::DeviceAddress;

/// The longest text of a kernel that is read.
const LONGEST_TEXT: u64 = 1 << 16;
/// What a launch may print, as CUDA's buffer has it by default, generously.
const MOST_PRINTED: usize = 64 << 20;

impl Core<'_> {
    pub(super) fn system_call(
        &mut self,
        block: &mut BlockInfo,
        warp: &mut Warp,
        running: &Running,
        call: &SystemCall,
    ) -> Result<Next, Fault> {
        let base = if call.in_frame { running.local } else { 0 };
        let argument = |warp: &Warp, lane: usize, number: usize, bytes: usize| -> u64 {
            let mut buffer = [0; 8];
            if let Some(place) = call.arguments.get(number) {
                read_local(warp, lane, base + place, &mut buffer[..bytes]);
            }
            u64::from_le_bytes(buffer)
        };
        for lane in lanes(running.mask) {
            let own = Running { mask: 1 << lane, ..*running };
            let result = match call.function {
                SystemFunction::Print => {
                    let format = argument(warp, lane, 0, 8);
                    let values = argument(warp, lane, 1, 8);
                    self.print(block, warp, &own, lane, format, values)?
                }
                SystemFunction::Allocate => {
                    let bytes = argument(warp, lane, 0, 8);
                    let taken = self.memory.memory().allocate(bytes, AllocationKind::Heap);
                    if let Ok(address) = &taken {
                        let label = "device heap";
                        self.trace.structure(Event::Allocation { address: *address, bytes, label });
                    }
                    // `malloc` gives a null pointer when there is no memory.
                    taken.map_or(0, |address| address.0)
                }
                SystemFunction::Free => {
                    let address = argument(warp, lane, 0, 8);
                    if address != 0 {
                        self.free(block, warp, &own, address)?;
                    }
                    0
                }
                SystemFunction::AssertionFailed => {
                    let mut text = |number: usize| {
                        let address = argument(warp, lane, number, 8);
                        self.text(block, warp, &own, lane, address)
                    };
                    let (message, file, function) = (text(0)?, text(1)?, text(3)?);
                    let line = argument(warp, lane, 2, 4);
                    let what =
                        format!("the assertion `{message}` failed ({file}:{line}, {function})");
                    let kind = FaultKind::AssertionFailed;
                    return Err(self.fault(block, warp, own.mask, running.site, kind, what));
                }
            };
            if let Some(place) = call.result {
                let bytes = if call.function == SystemFunction::Print { 4 } else { 8 };
                write_local(warp, lane, base + place, &result.to_le_bytes()[..bytes]);
            }
        }
        Ok(Next::Forward)
    }

    fn free(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        address: u64,
    ) -> Result<(), Fault> {
        let memory = self.memory.memory();
        let known = memory.allocation_at(DeviceAddress(address));
        let is_heap =
            known.is_some_and(|one| one.kind == AllocationKind::Heap && one.address.0 == address);
        let freed = is_heap && memory.free(DeviceAddress(address)).is_ok();
        // What is freed must not be reached through what was found before.
        self.windows.fill(Window::default());
        if freed {
            return Ok(());
        }
        let what = format!(
            "it frees {address:#x}, which `malloc` did not give: {}",
            memory.describe(address)
        );
        let kind = match is_device_address(address) {
            true => FaultKind::InvalidFree,
            false => FaultKind::IllegalAddress,
        };
        Err(self.fault(block, warp, running.mask, running.site, kind, what))
    }

    /// A text in memory that ends with a zero.
    fn text(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        address: u64,
    ) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        for offset in 0..LONGEST_TEXT {
            let target = self.generic_target(block, warp, running, lane, address + offset, 1)?;
            match self.peek(warp, lane, target, 1) as u8 {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn generic_target(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        address: u64,
        bytes: u64,
    ) -> Result<Target, Fault> {
        let attempt =
            Attempt { does: "prints", space: MemorySpace::Generic, address, bytes, alignment: 1 };
        self.target(block, warp, running, lane, attempt)
    }

    /// `vprintf`: the values lie behind each other, each at a multiple of its size. Returns how many
    /// there are, as CUDA has it.
    fn print(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        lane: usize,
        format: u64,
        values: u64,
    ) -> Result<u64, Fault> {
        let format = self.text(block, warp, running, lane, format)?;
        let pieces = printing::parse(&format);
        let mut at = values;
        let mut read = |core: &mut Self, bytes: u64| -> Result<u64, Fault> {
            // Nothing lies at the end of the address space, so it does for what is behind it.
            at = at.checked_next_multiple_of(bytes).unwrap_or(u64::MAX - (bytes - 1));
            let target = core.generic_target(block, warp, running, lane, at, bytes)?;
            at += bytes;
            Ok(core.peek(warp, lane, target, bytes) as u64)
        };
        let mut line = Vec::new();
        let mut count = 0;
        for piece in &pieces {
            let mut stars = Vec::new();
            for _ in 0..piece.stars() {
                stars.push(read(self, 4)? as i32);
                count += 1;
            }
            let argument = match piece.bytes() {
                None => None,
                Some(bytes) => {
                    count += 1;
                    let value = read(self, bytes)?;
                    Some(match piece.is_text() {
                        true if value == 0 => Argument::Text("(null)".to_string()),
                        true => Argument::Text(self.text(block, warp, running, lane, value)?),
                        false => Argument::Bits(value),
                    })
                }
            };
            printing::render(piece, &stars, argument, &mut line);
        }
        if self.printed.len() + line.len() <= MOST_PRINTED {
            self.printed.extend_from_slice(&line);
        }
        Ok(count)
    }
}
