//! Accesses of kernels to other memory than they were meant for, as they are reported.

use super::Session;
use super::starting::Begun;
use warpsan_event::AccessKind;
use warpsan_model::{Space, WARP_LANES};
use warpsan_report::{
    AccessOrder, AccessOrigin, AccessReport, AccessType, AllocationReport, MemoryLocation, Race,
    RaceKind, Replay, Severity,
};
use warpsan_simt::{Allocation, AllocationKind, OutOfBounds};

impl Session {
    /// Reports what a launch accessed outside of the memory that it was given. The program goes on, as it does on a GPU.
    pub(super) fn report_out_of_bounds(&mut self, begun: &Begun, found: &[OutOfBounds]) {
        // The user asked for other launches only.
        if !begun.is_watched {
            return;
        }
        for one in found {
            let replay = Replay { seed: self.options.seed, launch: begun.id.0 };
            self.journal.found_by_engine(race(begun, one, replay));
        }
    }
}

fn race(begun: &Begun, found: &OutOfBounds, replay: Replay) -> Race {
    let OutOfBounds { site, block, thread, kind, bytes, address, meant, hit, .. } = found;
    let site = begun.prepared.sites.get(*site);
    let access = AccessReport {
        access: match kind {
            AccessKind::Read => AccessType::Read,
            AccessKind::Write => AccessType::Write,
            AccessKind::ReadModifyWrite | AccessKind::Reduction => AccessType::Atomic,
        },
        strength: "weak".to_string(),
        position: site.position().cloned(),
        source_line: None,
        frames: site.frames.clone(),
        origin: AccessOrigin::Kernel,
        instruction: site.instruction.to_string(),
        ptx_line: site.ptx_line,
        thread: begun.queued.block.at(u64::from(*thread)),
        block: begun.queued.grid.at(u64::from(block.0)),
        warp: thread / WARP_LANES,
        bytes: u32::try_from(*bytes).unwrap_or(u32::MAX),
    };
    let end = meant.address.0 + meant.bytes;
    let distance = match address.0.checked_sub(end) {
        Some(behind) => format!("{behind} bytes behind the end of that memory"),
        None => {
            let before = meant.address.0.saturating_sub(address.0);
            format!("{before} bytes in front of the start of that memory")
        }
    };
    Race {
        kind: RaceKind::OutOfBounds,
        severity: Severity::Error,
        kernel: begun.prepared.facts.display_name.clone(),
        first: access.clone(),
        second: access,
        order: AccessOrder::Unknown,
        location: MemoryLocation {
            space: Some(Space::Global),
            address: *address,
            allocation: Some(AllocationReport {
                label: label(hit),
                bytes: hit.bytes,
                offset: address.0 - hit.address.0,
            }),
        },
        reason: format!(
            "the address is counted from {}, a pointer into `{}`; it is {distance}",
            argument(begun, found.argument),
            label(meant),
        ),
        advice: "compare the index with the number of elements before the access, or allocate as much as the kernel uses"
            .to_string(),
        related: Vec::new(),
        same_value: false,
        programmatic: false,
        count: found.count,
        also_seen: Vec::new(),
        replay,
        threads: None,
    }
}

/// The argument that has this byte of the parameters, in words.
fn argument(begun: &Begun, at: u32) -> String {
    let at = at as usize;
    let parameters = &begun.prepared.kernel.parameters;
    let found =
        parameters.iter().position(|one| (one.offset..one.offset + one.bytes).contains(&at));
    let Some(number) = found else { return format!("byte {at} of the kernel's arguments") };
    let ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
    let name = match ordinals.get(number) {
        Some(ordinal) => format!("the kernel's {ordinal} argument"),
        None => format!("the kernel's argument number {}", number + 1),
    };
    match at - parameters[number].offset {
        0 => name,
        inside => format!("byte {inside} of {name}"),
    }
}

fn label(allocation: &Allocation) -> String {
    match (&allocation.label, allocation.kind) {
        (Some(label), _) => label.to_string(),
        (None, AllocationKind::Heap) => {
            format!("memory of {} bytes that a kernel took with malloc", allocation.bytes)
        }
        (None, _) => format!("memory of {} bytes", allocation.bytes),
    }
}

#[cfg(test)]
mod tests;
