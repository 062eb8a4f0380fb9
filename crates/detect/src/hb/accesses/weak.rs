//! Weak accesses of a warp, cut into pieces that are alike.

use super::lines::{self, Setting};
use super::pass::{Pass, PassStep};
use super::stored::{element_value, store_values};
use crate::clock::View;
use crate::hb::HappensBefore;
use crate::hb::diagnosis::{PendingRace, Side};
use crate::hb::history::{
    Entry, LINE, Role, Segment, Shadow, Touched, cover_of, for_each_segment, line_of,
};
use crate::hb::ids::{Agent, BlockNumber, LaneId, WarpId, WarpNumber};
use crate::hb::rules::Rule;
use std::sync::Arc;
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::{Space, lanes};

impl HappensBefore {
    pub(in crate::hb) fn weak_access(&mut self, access: &Access<'_>) {
        let block = self.order.block_number(access.block);
        let writes = access.kind != AccessKind::Read;
        let owner = (access.space == Space::Shared).then(|| self.order.block_number(access.owner));
        let entry = Entry {
            block,
            site: self.order.site_number(access.site),
            active: access.mask,
            warp: access.warp as u8,
            read_only_path: access.read_only_path && self.rules.applies(Rule::ReadOnlyPath),
            writes,
            ..Entry::EMPTY
        };
        if access.read_only_path {
            self.rules.count(Rule::ReadOnlyPath);
        }
        if access.bytes < 4 {
            self.rules.count(Rule::ByteExact);
        }
        if owner.is_some() {
            let touched = Touched::by(access, block, owner);
            self.meet_noted_updates(&touched);
            if writes {
                self.meet_noted_reads(&touched);
            }
        }
        let state = self.order.threads.warp(WarpId { block, warp: WarpNumber(access.warp) });
        let uniform = state.is_uniform() && self.diagnosis.locks.is_empty();
        if uniform {
            let left = if writes { access.mask } else { self.read_shortly(access, owner) };
            if left != 0 {
                self.weak_group(access, owner, Entry { lanes: left, ..entry }, PassStep::Both);
            }
        } else {
            // Lanes that know different things, or hold different locks, are compared by themselves.
            let mut groups = Vec::new();
            for (mask, view) in state.groups(access.mask) {
                for lane in lanes(mask) {
                    let id = LaneId { block, warp: WarpNumber(access.warp), lane };
                    let held = self.diagnosis.locks.held(id, access.mask);
                    let group =
                        groups.iter_mut().find(|(_, known, other): &&mut (u32, Arc<View>, u8)| {
                            Arc::ptr_eq(known, &view) && *other == held
                        });
                    match group {
                        Some((mask, ..)) => *mask |= 1 << lane,
                        None => groups.push((1 << lane, Arc::clone(&view), held)),
                    }
                }
            }
            // Where lanes of one store may write the same place, all are compared with what was there
            // before any of them is remembered: the first would hide the past from the others.
            let steps: &[PassStep] = match writes && groups.len() > 1 {
                true => &[PassStep::Compare, PassStep::Clear, PassStep::Add],
                false => &[PassStep::Both],
            };
            for step in steps {
                for (mask, _, held) in &groups {
                    let entry = Entry { lanes: *mask, held: *held, ..entry };
                    self.weak_group(access, owner, entry, *step);
                }
            }
        }
        if !self.diagnosis.locks.is_empty() {
            let warp = WarpId { block, warp: WarpNumber(access.warp) };
            self.diagnosis.locks.weak_access(access, warp, owner);
        }
        if writes {
            self.lanes_of_one_store(access, owner, entry);
        }
    }

    /// Lanes of one access that share a view and hold the same locks.
    fn weak_group(
        &mut self,
        access: &Access<'_>,
        owner: Option<BlockNumber>,
        mut entry: Entry,
        step: PassStep,
    ) {
        let size = access.bytes_of_lane();
        let warp = WarpId { block: entry.block, warp: WarpNumber::of_entry(entry.warp) };
        let Some(state) = self.order.threads.existing_warp(warp) else { return };
        entry.epoch = state.epoch;
        let view = state.view(entry.lanes.trailing_zeros());
        let mut pass = Pass {
            access,
            size,
            step,
            byte_exact: self.rules.applies(Rule::ByteExact),
            who: self.order.observer(warp, state, view, &self.rules),
            setting: Setting {
                threads: &self.order.threads,
                launch: self.this_launch(),
                all_readers: self.rules.applies(Rule::AllReaders),
                owner,
                pending: &mut self.diagnosis.pending,
            },
            shadow: self.history.memories.of(owner),
            sites: &self.history.sites,
        };
        for_each_segment(access, entry.lanes, size, |segment| pass.segment(entry, segment));
        if entry.writes
            && matches!(step, PassStep::Both | PassStep::Add)
            && !access.values.is_empty()
        {
            store_values(pass.shadow, access, entry.lanes);
        }
    }

    /// A weak access of one agent to a range of bytes: a copy, through the asynchronous proxy or not, or an operation on an
    /// object.
    pub(in crate::hb) fn weak_range(
        &mut self,
        id: LaneId,
        mut entry: Entry,
        owner: Option<BlockNumber>,
        start: u64,
        bytes: u64,
    ) {
        let who = id.warp();
        let addresses = LaneAddresses::Uniform(start);
        let touched = Touched { owner, who, addresses, mask: 1, size: bytes };
        self.meet_noted_updates(&touched);
        if entry.writes {
            self.meet_noted_reads(&touched);
        }
        let fences_needed = self.rules.applies(Rule::ProxyFence);
        let epoch = self.order.threads.warp(id.warp()).epoch;
        if entry.agent == Agent::Thread {
            entry.epoch = epoch;
        }
        let Some(state) = self.order.threads.existing_warp(id.warp()) else { return };
        let mut who = self.order.observer(id.warp(), state, state.view(id.lane), &self.rules);
        if entry.agent == Agent::BulkCopy && fences_needed {
            who.asynchronous = Some(usize::from(owner.is_some()));
        }
        let launch = self.this_launch();
        let shadow: &mut Shadow = self.history.memories.of(owner);
        let mut setting = Setting {
            threads: &self.order.threads,
            launch,
            all_readers: true,
            owner,
            pending: &mut self.diagnosis.pending,
        };
        let end = start.saturating_add(bytes);
        let mut base = line_of(start);
        while base < end {
            let entry = entry.with_cover(cover_of(base, start, bytes));
            let line = shadow.line(base);
            if entry.writes && entry.agent != Agent::Thread {
                // Who knows that a copy is complete does not know what was before it.
                lines::compare_write(line, base, &entry, &who, &mut setting);
                line.add_copy(entry, |copy| {
                    self.order.bulk_end(copy.block, copy.epoch, owner.is_none())
                });
            } else if entry.writes {
                lines::compare_write(line, base, &entry, &who, &mut setting);
                match entry.role == Role::Object && self.order.threads.has_clusters() {
                    // Who knows of an initialisation by its fence does not know what was before it.
                    true => line.add_write(entry),
                    false => line.replace(entry),
                }
            } else {
                lines::read(line, base, &entry, &who, &mut setting);
            }
            let Some(next) = base.checked_add(LINE) else { break };
            base = next;
        }
    }

    /// Lanes of one store that write the same place race with each other.
    fn lanes_of_one_store(
        &mut self,
        access: &Access<'_>,
        owner: Option<BlockNumber>,
        entry: Entry,
    ) {
        if !self.rules.applies(Rule::LanesOfOneStore) || access.mask.count_ones() < 2 {
            return;
        }
        if matches!(access.addresses, LaneAddresses::Strided { .. }) {
            return;
        }
        for_each_segment(
            access,
            access.mask,
            access.bytes_of_lane(),
            |Segment { lanes: group, first, shift }| {
                if shift.is_some() || group.is_power_of_two() {
                    return;
                }
                self.rules.count(Rule::LanesOfOneStore);
                let low = group.trailing_zeros();
                // Elements in which all lanes agree are reported by themselves.
                let mut reported = [false; 2];
                for element in 0..usize::from(access.elements) {
                    let value = |lane| element_value(access, lane, element);
                    let other = lanes(group).find(|lane| value(*lane) != value(low));
                    let same_value = !access.values.is_empty() && other.is_none();
                    if std::mem::replace(&mut reported[usize::from(same_value)], true) {
                        continue;
                    }
                    let high = other.unwrap_or(31 - group.leading_zeros());
                    let side = |lane| Side::of_entry(&entry, lane);
                    let address = first.wrapping_add(element as u64 * u64::from(access.bytes));
                    let conflict = PendingRace::new(side(low), side(high), address, owner);
                    self.diagnosis.pending.push(PendingRace {
                        same_event: true,
                        same_value,
                        ..conflict
                    });
                }
            },
        );
    }
}
