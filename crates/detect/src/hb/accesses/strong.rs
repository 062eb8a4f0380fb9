//! Strong accesses: they acquire, are compared with what may race with them, are remembered, and pass on
//! what was released before them.

use super::lines::{self, Setting};
use super::moral_strength::{MoralStrength, is_plain};
use super::observe::compare_with_location;
use crate::hb::HappensBefore;
use crate::hb::diagnosis::{PendingRace, Side, Writer, Writers};
use crate::hb::history::{Entry, Mapping, StrongEntry, StrongLocation, Touched, position, range};
use crate::hb::ids::{Agent, LaneId, StrongLocationId, WarpId, WarpNumber};
use crate::hb::order::Threads;
use crate::hb::rules::Rule;
use crate::hb::strong_access::StrongAccess;
use warpsan_event::{Access, AccessKind};
use warpsan_model::{Scope, Space};

impl HappensBefore {
    /// A strong access, lane by lane, in the order in which lanes execute.
    pub(in crate::hb) fn strong_access(&mut self, access: &Access<'_>) {
        let (Some(order), Some(scope)) = (access.strength.order(), access.strength.scope()) else {
            return;
        };
        let block = self.order.block_number(access.block);
        let owner = (access.space == Space::Shared).then(|| self.order.block_number(access.owner));
        if access.kind == AccessKind::Reduction {
            self.rules.count(Rule::ReductionsNeverAcquire);
        }
        if access.kind != AccessKind::Read {
            self.meet_noted_reads(&Touched::by(access, block, owner));
        }
        if self.plain_reductions(access, block, owner) {
            return;
        }
        if let Some(owner) = owner {
            self.history.remember_noted_updates(owner);
        }
        if self.strong_together(access, block, owner) {
            return;
        }
        let reductions_read = !self.rules.applies(Rule::ReductionsNeverAcquire);
        let failures_write = !self.rules.applies(Rule::FailedCompareOnlyReads);
        let site = self.order.site_number(access.site);
        let takes_locks = self.history.sites.info(site).takes_locks;
        let updates = matches!(access.kind, AccessKind::ReadModifyWrite | AccessKind::Reduction);
        let observes = matches!(access.kind, AccessKind::Read | AccessKind::ReadModifyWrite)
            || reductions_read && access.kind == AccessKind::Reduction;
        let elements = usize::from(access.elements);
        let mut parts: Vec<(StrongAccess, bool)> = Vec::with_capacity(elements);
        for (rank, (lane, address)) in access.lanes().enumerate() {
            let wrote = access.wrote >> lane & 1 == 1;
            if access.kind == AccessKind::ReadModifyWrite && !wrote {
                self.rules.count(Rule::FailedCompareOnlyReads);
            }
            parts.clear();
            for element in 0..elements {
                let start = address.wrapping_add(element as u64 * u64::from(access.bytes));
                let value = (access.kind == AccessKind::Write && access.bytes <= 8)
                    .then(|| access.values.get(rank * elements + element))
                    .flatten();
                let part = StrongAccess {
                    id: LaneId { block, warp: WarpNumber(access.warp), lane },
                    location: StrongLocationId { owner, start, bytes: access.bytes },
                    order,
                    scope,
                    writes: access.kind != AccessKind::Read && (wrote || failures_write),
                    atomic: updates && (wrote || failures_write),
                    observes,
                    object: false,
                    site,
                    active: access.mask,
                    value: value.copied(),
                };
                let linked = self.observe(&part);
                parts.push((part, linked));
            }
            for (part, linked) in &parts {
                self.take_place(part, *linked);
                let word = (owner, part.location.start);
                self.diagnosis.locks.strong_access(access, part.id, word, takes_locks);
            }
        }
        // What a flag announces is distinct from what its thread does next.
        let is_flag = match access.kind {
            AccessKind::Read => false,
            AccessKind::Write | AccessKind::ReadModifyWrite => true,
            AccessKind::Reduction => order.releases() || access.mask.is_power_of_two(),
        };
        let warp = self.order.threads.warp(WarpId { block, warp: WarpNumber(access.warp) });
        // So is a reduction that a fence has prepared.
        if is_flag || access.kind == AccessKind::Reduction && !warp.fences.is_empty() {
            warp.epoch += 1;
        }
    }

    pub(in crate::hb) fn strong_element(&mut self, access: StrongAccess) {
        let linked = self.observe(&access);
        self.take_place(&access, linked);
    }

    /// What an access acquires is known before any part of its instruction is compared. Returns whether it
    /// continues what was there.
    fn observe(&mut self, access: &StrongAccess) -> bool {
        let (_, offset) = position(access.location.start);
        let bytes = access.location.bytes;
        self.history
            .memories
            .line_of_location(access.location)
            .separate_reductions(range(offset, bytes));
        // Operations on an `mbarrier` object make one chain by nature.
        let linked = if access.object { access.writes } else { self.is_linked(access) };
        if !access.observes || access.object {
            return linked;
        }
        self.order.acquire_again(access, &self.rules);
        let line = self.history.memories.line_of_location(access.location);
        let Some(location) = line.existing_location(offset, bytes) else { return linked };
        if linked && let Some(chain) = &location.chain {
            self.order.acquire_observed(access, chain, &self.rules);
        }
        if location.current {
            let location = line.location(offset, bytes);
            let writers = writers_of(location, &self.order.threads);
            let state = self.order.threads.existing_warp(access.id.warp());
            let epoch = state.map_or(1, |warp| warp.epoch);
            self.diagnosis.handoffs.note_flag(access, epoch, linked, writers);
        }
        linked
    }

    /// Compares an access with the past, makes it part of it, and lets it pass on what was released before it.
    fn take_place(&mut self, access: &StrongAccess, linked: bool) {
        self.compare_strong(access);
        self.remember_strong(access, 1 << access.id.lane, linked);
        if access.writes && !access.object {
            let state = self.order.threads.warp(access.id.warp());
            let writer = Writer::new(access, linked, state);
            let location = self.history.memories.location(access.location);
            location.writers.add(writer);
            self.order.publish(access, linked, &mut location.chain, &self.rules);
        }
    }

    /// Whether what is there is a strong write of the same bytes, and the two are morally strong.
    pub(super) fn is_linked(&mut self, access: &StrongAccess) -> bool {
        let (base, offset) = position(access.location.start);
        let links_are_strong = self.rules.applies(Rule::LinksAreMorallyStrong);
        let line = self.history.memories.of(access.location.owner).line(base);
        let location = line.existing_location(offset, access.location.bytes);
        let Some(location) = location.filter(|location| location.current) else { return false };
        let last = location.entries.iter().rev().find(|entry| entry.writes && !entry.object);
        let Some(last) = last else { return false };
        let (site, block) = (last.site, last.block);
        let last_scope = self.history.sites.info(site).strength.scope().unwrap_or(Scope::Sys);
        let mutual =
            self.order.threads.mutual((last_scope, block), (access.scope, access.id.block));
        mutual || !links_are_strong
    }

    /// Compares with weak accesses, and with strong ones that are not morally strong.
    pub(super) fn compare_strong(&mut self, access: &StrongAccess) {
        let (base, offset) = position(access.location.start);
        let id = access.id;
        let new = self.as_entry(access, offset);
        // The block may begin with this access.
        self.order.threads.warp(id.warp());
        let Some(warp) = self.order.threads.existing_warp(id.warp()) else { return };
        let who = self.order.observer(id.warp(), warp, warp.view(id.lane), &self.rules);
        let moral_strength = MoralStrength { rules: &self.rules };
        let sites = &self.history.sites;
        let site = sites.info(access.site);
        let launch = self.this_launch();
        let shadow = self.history.memories.of(access.location.owner);
        let line = shadow.line(base);
        let mut setting = Setting {
            threads: &self.order.threads,
            launch,
            all_readers: true,
            owner: access.location.owner,
            pending: &mut self.diagnosis.pending,
        };
        let start = setting.pending.len();
        lines::compare_weak(line, base, &new, &who, &mut setting);
        let found = setting.pending;
        finish(&mut found[start..], access);
        if let Some(value) = access.value {
            let stored = |conflict: &PendingRace| {
                let info = sites.info(conflict.old.site);
                conflict.old.writes
                    && conflict.old.agent == Agent::Thread
                    && info.stores
                    && info.bytes == access.location.bytes
            };
            let values = shadow.values_of_line(base);
            let at = usize::from(offset);
            let old = &values[at..(at + usize::from(access.location.bytes)).min(values.len())];
            for conflict in &mut found[start..] {
                conflict.same_value = stored(conflict) && value.to_le_bytes()[..old.len()] == *old;
            }
        }
        let line = shadow.line(base);
        let Some(strong) = line.strong() else { return };
        let start = found.len();
        let cover = new.cover();
        for location in strong.locations.iter().filter(|location| location.overlaps(cover)) {
            let same_range = (location.offset, location.bytes) == (offset, access.location.bytes);
            let plain = same_range
                && !location.mixed
                && is_plain(&self.order.threads, site.strength, access);
            if plain && self.rules.applies(Rule::MorallyStrong) {
                continue;
            }
            let address = base + u64::from((location.live & cover).trailing_zeros());
            let lane = id.lane;
            compare_with_location(location, &who, lane, access.writes, |old, old_lane| {
                if !(old.writes || access.writes) || old.object && access.object {
                    return;
                }
                let theirs = (sites.info(old.site), old.block);
                let ours = (site, id.block);
                if moral_strength.allow(&self.order.threads, same_range, theirs, ours) {
                    return;
                }
                let same_value = old.value.is_some() && same_range && old.value == access.value;
                // What a warp writes next is of another epoch.
                let same_event = (old.site, old.block, old.warp, old.epoch)
                    == (access.site, new.block, new.warp, new.epoch)
                    && access.writes;
                let old = Side::of_strong(old, old_lane);
                let new = Side::of_entry(&new, lane);
                let conflict = PendingRace::new(old, new, address, access.location.owner);
                found.push(PendingRace { same_value, same_event, ..conflict });
            });
        }
        finish(&mut found[start..], access);
    }

    fn as_entry(&self, access: &StrongAccess, offset: u8) -> Entry {
        let state = self.order.threads.existing_warp(access.id.warp());
        Entry {
            block: access.id.block,
            epoch: state.map_or(1, |warp| warp.epoch),
            site: access.site,
            lanes: 1 << access.id.lane,
            active: access.active,
            warp: access.id.warp.for_entry(),
            held: self.diagnosis.locks.held(access.id, access.active),
            mapping: Mapping::UNIFORM,
            writes: access.writes,
            ..Entry::EMPTY
        }
        .with_cover(range(offset, access.location.bytes))
    }

    pub(super) fn remember_strong(&mut self, access: &StrongAccess, lanes: u32, linked: bool) {
        let id = access.id;
        let (base, offset) = position(access.location.start);
        let strength = self.history.sites.info(access.site).strength;
        let held = self.diagnosis.locks.held(id, access.active);
        let state = self.order.threads.warp(id.warp());
        let epoch = state.epoch;
        let entry = StrongEntry {
            block: id.block,
            epoch,
            site: access.site,
            lanes,
            active: access.active,
            warp: id.warp.for_entry(),
            held,
            writes: access.writes,
            atomic: access.atomic,
            observes: access.observes && !access.object,
            linked,
            object: access.object,
            value: access.value,
        };
        let shadow = self.history.memories.of(access.location.owner);
        let line = shadow.line(base);
        let threads = &self.order.threads;
        let location = line.location(offset, access.location.bytes);
        let was_current = location.current;
        location.mixed |= !is_plain(threads, strength, access) && !access.object;
        location.add(entry, |old| threads.is_permanent(old.block, old.warp, old.epoch));
        if access.object {
            location.current = was_current;
        } else if access.writes {
            line.overwrite_other_locations(offset, access.location.bytes);
        }
    }
}

/// The last writers of a location. Where they are not known, they were reductions among many.
pub(super) fn writers_of<'a>(location: &'a mut StrongLocation, threads: &Threads) -> &'a Writers {
    if location.writers.is_empty() {
        location.writers = Writers::of_entries(&location.entries, threads);
    }
    &location.writers
}

/// The sides of what was found so far come from weak accesses; the new one is strong.
fn finish(found: &mut [PendingRace], access: &StrongAccess) {
    for conflict in found {
        conflict.new.weak = false;
        conflict.new.atomic = access.atomic;
        conflict.new.object = access.object;
    }
}
