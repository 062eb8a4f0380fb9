//! What the host does to memory that devices use too, while their work is in flight.

use super::Session;
use crate::host_threads::{self, Deed, HostThread};
use crate::operation::{MemoryPart, Toucher};
use crate::order::WorkId;
use std::sync::Arc;
use warpsan_model::SourceFrame;
use warpsan_simt::HostAccess;

/// Says where an instruction of the host is in the program's sources, innermost function first: it is the first of those
/// that are given, or where that is in no function of the program, the first behind it that is. They are an
/// instruction and those that called its function.
pub type HostFrames = Arc<dyn Fn(&[usize]) -> Vec<SourceFrame> + Send + Sync>;

/// An access, and when it was.
type Placed = (HostAccess, Deed);

impl Session {
    /// Who knows the host's sources.
    pub fn set_host_frames(&mut self, frames: HostFrames) {
        self.host_frames = Some(frames);
    }

    /// Takes what the host has done since this was last called. It is after what the host has waited for, and
    /// before what it will ask for.
    pub fn note_host_accesses(&mut self) {
        let mut accesses = self.take_host_accesses();
        if accesses.is_empty() {
            return;
        }
        accesses.sort_by_key(|(_, deed)| moment_key(deed));
        let at_one_moment =
            |one: &Placed, other: &Placed| moment_key(&one.1) == moment_key(&other.1);
        for together in accesses.chunk_by(at_one_moment) {
            let deed = &together[0].1;
            if let Some(work) = self.order.add_host_access(&deed.moment, deed.asked_for) {
                let together: Vec<HostAccess> =
                    together.iter().map(|(access, _)| *access).collect();
                self.emit_accesses(work, &together);
            }
        }
        if self.order.is_in_flight() {
            // The next accesses to the same pages count again.
            self.memory.watch_host();
        }
    }

    fn take_host_accesses(&mut self) -> Vec<Placed> {
        let (accesses, lost) = self.memory.take_host_accesses();
        if lost > 0 {
            self.not_checked(
                &format!("{lost} accesses of the host to memory that the device uses"),
                "the program's own code",
                "let the host wait for the device before it uses so much of its memory",
            );
        }
        let accesses = std::mem::take(&mut self.later_accesses).into_iter().chain(accesses);
        let (of_function, others): (Vec<HostAccess>, Vec<HostAccess>) =
            accesses.partition(|access| Some(access.thread) == self.function_thread);
        self.function_accesses.extend(of_function);
        self.put_off(others)
    }

    /// Puts accesses off that others of the same moment may still follow, and gives all others. So what is done
    /// together does not depend on who comes when.
    fn put_off(&mut self, accesses: Vec<HostAccess>) -> Vec<Placed> {
        let (mut now, mut open_moments) = (Vec::new(), Vec::new());
        for access in accesses {
            let deed = host_threads::deed_of(&access);
            if deed.is_complete {
                now.push((access, deed));
            } else {
                open_moments.push(deed.moment);
                self.later_accesses.push(access);
            }
        }
        self.order.set_open_moments(open_moments);
        let oldest = self.later_accesses.iter().map(|access| access.time).min();
        host_threads::forget_before(oldest.unwrap_or(u64::MAX));
        now
    }

    /// The function of the host that is to be called runs on a thread with this number, from now on. It may signal others
    /// at any time, and whom cannot be seen: what it is after is known to all before it can.
    pub fn begin_host_function(&mut self, work: WorkId, thread: u64) {
        self.note_host_accesses();
        let mut done = self.order.with_before(work);
        done.remove(&work);
        self.order.know_all(&done);
        self.function_thread = Some(thread);
    }

    /// Emits accesses that are after the same work and before the same work.
    fn emit_accesses(&mut self, work: WorkId, accesses: &[HostAccess]) {
        let mut ways: Vec<Vec<usize>> = accesses.iter().map(way).collect();
        ways.sort_unstable();
        ways.dedup();
        let part = |access: &HostAccess| {
            let toucher = ways.binary_search(&way(access)).unwrap_or(0);
            part_of(toucher, access)
        };
        let parts: Vec<MemoryPart> = accesses.iter().map(part).collect();
        let frames = self.host_frames.clone();
        self.emit_work(work, "host", &parts, || {
            ways.iter().map(|way| toucher(&frames, way)).collect()
        });
    }

    /// Emits what a function of the host did in its stream.
    pub(super) fn emit_host_function(&mut self, work: WorkId) {
        self.note_host_accesses();
        self.function_thread = None;
        let accesses = std::mem::take(&mut self.function_accesses);
        self.emit_accesses(work, &accesses);
    }
}

/// Accesses with the same key are after the same work and before the same work.
fn moment_key(deed: &Deed) -> (u64, u64, HostThread) {
    (deed.asked_for, deed.begin, deed.moment.thread)
}

/// An instruction and those that called its function, from the inside out.
fn way(access: &HostAccess) -> Vec<usize> {
    let callers = access.callers.iter().copied().take_while(|caller| *caller != 0);
    std::iter::once(access.instruction).chain(callers).collect()
}

fn part_of(toucher: usize, access: &HostAccess) -> MemoryPart {
    let HostAccess { address, bytes, writes, .. } = *access;
    MemoryPart { address: address.0, bytes, writes, toucher, by_host: true }
}

fn toucher(frames: &Option<HostFrames>, way: &[usize]) -> Toucher {
    let frames = frames.as_ref().map_or(Vec::new(), |frames| frames(way));
    Toucher { call: None, frames }
}
