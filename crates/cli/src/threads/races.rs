//! A race as reports have it, made of what the process wrote down.

use super::symbols::{Symbols, shown};
use super::words;
use warpsan_model::{DeviceAddress, Dim3, SourceFrame};
use warpsan_report::{
    AccessOrder, AccessOrigin, AccessReport, AccessType, AllocationReport, LockReport,
    MemoryLocation, Race, RaceKind, RelatedSite, Replay, Severity, ThreadMemory, ThreadRace,
    ThreadReport, ThreadSide,
};
use warpsan_thread_report::{Lock, Memory, RaceRecord, Side, SideAccess, Stack, Thread};

/// The race of a record, which was seen so often.
pub(super) fn race(record: &RaceRecord, count: u64, symbols: &mut Symbols) -> Race {
    let [first, second] = [&record.first, &record.second].map(|side| access(side, symbols));
    let threads = ThreadRace {
        first: thread_side(&record.first, symbols),
        second: thread_side(&record.second, symbols),
        memory: memory(&record.memory, symbols),
        threads: record.threads.iter().map(|one| thread(one, symbols)).collect(),
    };
    let location = MemoryLocation {
        space: None,
        address: DeviceAddress(record.address),
        allocation: allocation(record, &threads.memory, symbols),
    };
    Race {
        kind: kind(record),
        severity: Severity::Error,
        kernel: function(&second).or_else(|| function(&first)).unwrap_or_default(),
        first,
        second,
        order: AccessOrder::FirstThenSecond,
        location,
        reason: words::reason(record),
        advice: words::advice(record),
        related: related(&threads),
        same_value: false,
        programmatic: false,
        count,
        also_seen: Vec::new(),
        replay: Replay::NONE,
        threads: Some(Box::new(threads)),
    }
}

fn kind(record: &RaceRecord) -> RaceKind {
    match [record.first.access, record.second.access].contains(&SideAccess::Free) {
        true => RaceKind::UseAfterFree,
        false => RaceKind::DataRace,
    }
}

fn access(side: &Side, symbols: &mut Symbols) -> AccessReport {
    let frames = symbols_of(side.stack.as_ref(), symbols);
    let (access, strength) = match side.access {
        SideAccess::Read => (AccessType::Read, "plain"),
        SideAccess::Write => (AccessType::Write, "plain"),
        SideAccess::AtomicRead => (AccessType::Read, "atomic"),
        SideAccess::AtomicWrite => (AccessType::Write, "atomic"),
        SideAccess::Free => (AccessType::Free, "plain"),
        SideAccess::VptrRead => (AccessType::Read, "pointer to the virtual table"),
        SideAccess::VptrWrite => (AccessType::Write, "pointer to the virtual table"),
    };
    AccessReport {
        access,
        strength: strength.to_string(),
        position: shown(&frames).and_then(|frame| frame.position.clone()),
        source_line: None,
        frames,
        origin: AccessOrigin::Thread,
        instruction: AccessOrigin::THREAD.to_string(),
        ptx_line: 0,
        thread: Dim3::new(side.thread, 0, 0),
        block: Dim3::new(0, 0, 0),
        warp: 0,
        bytes: side.span.map_or(0, |(_, bytes)| u32::try_from(bytes).unwrap_or(u32::MAX)),
    }
}

/// The function whose line is shown.
fn function(access: &AccessReport) -> Option<String> {
    let frame = shown(&access.frames)?;
    let name = match frame.function.rsplit_once(" (") {
        // Its place in a file that has no lines.
        Some((name, _)) if frame.position.is_none() => name,
        _ => &frame.function,
    };
    Some(name.to_string())
}

fn symbols_of(stack: Option<&Stack>, symbols: &mut Symbols) -> Vec<SourceFrame> {
    stack.map(|stack| symbols.stack(stack)).unwrap_or_default()
}

fn thread_side(side: &Side, symbols: &mut Symbols) -> ThreadSide {
    let lock = |lock: &Lock| LockReport {
        address: lock.address,
        exclusive: lock.exclusive,
        stack: symbols_of(lock.stack.as_ref(), symbols),
    };
    ThreadSide {
        thread: side.thread,
        function: side.function.clone(),
        locks: side.locks.iter().map(lock).collect(),
        locks_lost: side.locks_lost,
        stack_lost: side.stack.is_none(),
    }
}

fn thread(thread: &Thread, symbols: &mut Symbols) -> ThreadReport {
    ThreadReport {
        number: thread.number,
        name: thread.name.clone(),
        started_by: thread.started_by,
        started_at: symbols_of(thread.started_at.as_ref(), symbols),
        ended: thread.ended,
    }
}

fn memory(memory: &Memory, symbols: &mut Symbols) -> ThreadMemory {
    match memory {
        Memory::Heap { bytes, freed, thread, stack, .. } => ThreadMemory::Heap {
            bytes: *bytes,
            freed: *freed,
            thread: *thread,
            stack: symbols_of(stack.as_ref(), symbols),
        },
        Memory::Global { module, .. } => ThreadMemory::Global { module: module.clone() },
        Memory::Stack { thread } => ThreadMemory::Stack { thread: *thread },
        Memory::ThreadLocal { thread } => ThreadMemory::ThreadLocal { thread: *thread },
        Memory::Other => ThreadMemory::Other,
    }
}

/// The block or the variable. Blocks that one line allocates have one name, so that their races have one cause.
fn allocation(
    record: &RaceRecord,
    shown_memory: &ThreadMemory,
    symbols: &mut Symbols,
) -> Option<AllocationReport> {
    match (&record.memory, shown_memory) {
        (Memory::Heap { start, bytes, .. }, ThreadMemory::Heap { stack, .. }) => {
            let mut label = format!("block of {bytes} bytes");
            if let Some(position) = shown(stack).and_then(|frame| frame.position.as_ref()) {
                label.push_str(&format!(" allocated at {position}"));
            }
            let offset = record.address.saturating_sub(*start);
            Some(AllocationReport { label, bytes: *bytes, offset })
        }
        (Memory::Global { module, offset }, _) => {
            let variable = symbols.variable(module, *offset)?;
            Some(AllocationReport {
                label: variable.name.clone(),
                bytes: variable.bytes,
                offset: offset - variable.start,
            })
        }
        _ => None,
    }
}

/// Where the two threads were started, and where the memory was allocated.
fn related(threads: &ThreadRace) -> Vec<RelatedSite> {
    let mut sites: Vec<RelatedSite> = Vec::new();
    let [first, second] = [threads.first.thread, threads.second.thread];
    let of = |number| threads.thread(number).filter(|thread| !thread.started_at.is_empty());
    match (of(first), of(second)) {
        (Some(one), Some(other)) if one.number != other.number && is_same_start(one, other) => {
            let [one_name, other_name] = [one, other].map(|one| threads.name_of(one.number));
            let message =
                format!("{one_name} and {other_name} were started here{}", by(threads, one));
            sites.extend(site(message, &one.started_at));
        }
        (one, other) => {
            for thread in [one, other.filter(|_| first != second)].into_iter().flatten() {
                let name = threads.name_of(thread.number);
                let message = format!("{name} was started here{}", by(threads, thread));
                sites.extend(site(message, &thread.started_at));
            }
        }
    }
    if let ThreadMemory::Heap { stack, thread, .. } = &threads.memory {
        let by = thread.map(|number| format!(", by {}", threads.name_of(number)));
        let message = format!("the memory was allocated here{}", by.unwrap_or_default());
        sites.extend(site(message, stack));
    }
    sites
}

fn is_same_start(one: &ThreadReport, other: &ThreadReport) -> bool {
    let position = |thread: &ThreadReport| shown(&thread.started_at)?.position.clone();
    one.started_by == other.started_by
        && position(one).is_some()
        && position(one) == position(other)
}

fn by(threads: &ThreadRace, thread: &ThreadReport) -> String {
    thread.started_by.map(|by| format!(", by {}", threads.name_of(by))).unwrap_or_default()
}

fn site(message: String, stack: &[SourceFrame]) -> Option<RelatedSite> {
    let frame = shown(stack)?;
    Some(RelatedSite {
        message,
        position: frame.position.clone(),
        source_line: None,
        instruction: frame.function.to_string(),
        ptx_line: 0,
    })
}

#[cfg(test)]
pub(super) mod tests;
