//! Strong accesses: they acquire, are compared with what may race with them, are remembered, and pass on
//! what was released before them.

use super::chain::{ByReach, Chain, PlaceId, join_optional};
use super::compare::{Who, line_of};
use super::found::{Conflict, Side};
use super::observe::compare_with_place;
use super::reads::Touched;
use super::rules::{Rule, Rules};
use super::shadow::{Agent, Entry, Mapping, StrongEntry};
use super::threads::{BLOCK, LaneId, Threads, reach};
use super::weak::{self, Setting};
use super::{HappensBefore, SiteInfo, shadow_of};
use std::sync::Arc;
use warpsan_event::{Access, AccessKind};
use warpsan_model::{Order, Scope, Space, Strength};

/// One strong access of one lane to one element.
#[derive(Debug, Clone, Copy)]
pub(super) struct StrongAccess {
    pub(super) id: LaneId,
    pub(super) place: PlaceId,
    pub(super) order: Order,
    pub(super) scope: Scope,
    /// It writes.
    pub(super) writes: bool,
    /// It reads and writes in one step, and wrote.
    pub(super) atomic: bool,
    /// It gives back what was there.
    pub(super) observes: bool,
    pub(super) object: bool,
    pub(super) site: u32,
    pub(super) active: u32,
    pub(super) value: Option<u64>,
}

impl HappensBefore {
    /// A strong access, lane by lane, in the order in which lanes execute.
    pub(super) fn strong_access(&mut self, access: &Access<'_>) {
        let (Some(order), Some(scope)) = (access.strength.order(), access.strength.scope()) else {
            return;
        };
        let block = self.block_number(access.block);
        let owner = (access.space == Space::Shared).then(|| self.block_number(access.owner));
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
            self.remember_noted_updates(owner);
        }
        let reductions_read = !self.rules.applies(Rule::ReductionsNeverAcquire);
        let failures_write = !self.rules.applies(Rule::FailedCompareOnlyReads);
        let site = self.site_number(access.site);
        let takes_locks = self.site_info(site).takes_locks;
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
                    id: LaneId { block, warp: access.warp, lane },
                    place: PlaceId { owner, start, bytes: access.bytes },
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
                if access.kind != AccessKind::Read {
                    let start = part.place.start;
                    self.locks.strong_write(access, part.id, (owner, start), takes_locks);
                }
            }
        }
        // What a flag announces is told apart from what its thread does next.
        let is_flag = match access.kind {
            AccessKind::Read => false,
            AccessKind::Write | AccessKind::ReadModifyWrite => true,
            AccessKind::Reduction => order.releases() || access.mask.is_power_of_two(),
        };
        if is_flag {
            self.threads.warp(block, access.warp).epoch += 1;
        }
    }

    pub(super) fn strong_element(&mut self, access: StrongAccess) {
        let linked = self.observe(&access);
        self.take_place(&access, linked);
    }

    /// What an access acquires is known before any part of its instruction is compared. Returns whether it
    /// continues what was there.
    fn observe(&mut self, access: &StrongAccess) -> bool {
        let (base, offset) = position(access.place.start);
        let cover = super::shadow::range(offset, access.place.bytes);
        self.shadow(access.place.owner).line(base).separate_reductions(cover);
        // Operations on an `mbarrier` object make one chain by nature.
        let linked = if access.object { access.writes } else { self.is_linked(access) };
        if access.observes && !access.object {
            self.acquire_again(access);
            if linked {
                self.acquire_observed(access);
            }
            self.note_handoff(access, linked);
        }
        linked
    }

    /// Compares an access with the past, and makes it part of it.
    fn take_place(&mut self, access: &StrongAccess, linked: bool) {
        self.compare_strong(access);
        self.remember_strong(access, linked);
        if access.writes && !access.object {
            self.note_writer(access, linked);
            self.publish(access, linked);
        }
    }

    /// Whether what is there is a strong write of the same bytes, and the two are morally strong.
    fn is_linked(&mut self, access: &StrongAccess) -> bool {
        let (base, offset) = position(access.place.start);
        let links_are_strong = self.rules.applies(Rule::LinksAreMorallyStrong);
        let line = self.shadow(access.place.owner).line(base);
        let place = line.existing_place(offset, access.place.bytes);
        let Some(place) = place.filter(|place| place.current) else { return false };
        let last = place.entries.iter().rev().find(|entry| entry.writes && !entry.object);
        let Some(last) = last else { return false };
        let (site, block) = (last.site, last.block);
        let last_scope = self.site_info(site).strength.scope().unwrap_or(Scope::Sys);
        let mutual = self.threads.mutual((last_scope, block), (access.scope, access.id.block));
        mutual || !links_are_strong
    }

    /// A strong read observes what was released on the location.
    fn acquire_observed(&mut self, access: &StrongAccess) {
        let id = access.id;
        let (base, offset) = position(access.place.start);
        let cluster = self.threads.cluster(id.block);
        let ends_are_mutual = self.rules.applies(Rule::EndsAreMutual);
        let place = self.shadow(access.place.owner).line(base).place(offset, access.place.bytes);
        let Some(chain) = &place.chain else { return };
        let seen = Some((chain.version, access.order, access.scope));
        let widest = if ends_are_mutual { access.scope } else { Scope::Sys };
        // The other end of the pattern may be a fence of a wider scope than the read.
        let observed = chain.released.for_reader(id.block, cluster, Scope::Sys);
        let state = self.threads.warp(id.block, id.warp);
        let memory = state.memory(id.lane);
        if memory.latest == seen {
            return;
        }
        memory.latest = seen;
        let here = memory.observed_at.entry(access.place).or_default();
        for (at, view) in observed.iter().enumerate() {
            let Some(view) = view else { continue };
            let at = if ends_are_mutual { at } else { BLOCK };
            join_optional(&mut here[at], view);
            join_optional(&mut memory.observed[at], view);
        }
        if access.order.acquires() && self.rules.applies(Rule::AcquireOperation) {
            for (at, view) in observed.iter().enumerate() {
                let Some(view) = view else { continue };
                if at <= reach(widest) {
                    self.rules.count(Rule::AcquireOperation);
                    state.learn(id.lane, view);
                } else {
                    self.rules.count(Rule::EndsAreMutual);
                }
            }
        }
    }

    /// An acquire on a location also acquires what earlier reads of it have observed.
    fn acquire_again(&mut self, access: &StrongAccess) {
        if !access.order.acquires() || !self.rules.applies(Rule::ReadThenAcquire) {
            return;
        }
        let id = access.id;
        let state = self.threads.warp(id.block, id.warp);
        let Some(memory) = state.memories.get_mut(&id.lane) else { return };
        let Some(observed) = memory.observed_at.get_mut(&access.place) else { return };
        let views: Vec<_> =
            observed[..=reach(access.scope)].iter_mut().filter_map(Option::take).collect();
        for view in views {
            self.rules.count(Rule::ReadThenAcquire);
            state.learn(id.lane, &view);
        }
    }

    /// Compares with weak accesses, and with strong ones that are not morally strong.
    fn compare_strong(&mut self, access: &StrongAccess) {
        let (base, offset) = position(access.place.start);
        let id = access.id;
        let new = self.as_entry(access, offset);
        let site = *self.site_info(access.site);
        let checks = Checks { rules: &self.rules };
        let view = Arc::clone(self.threads.warp(id.block, id.warp).view(id.lane));
        let first = self.threads.base;
        let Some(warp) = self.threads.existing_warp(id.block, id.warp) else { return };
        let place = (id.block, id.warp);
        let who = Who::new(place, warp, &view, first, &self.earlier, &self.rules);
        let launch = self.this_launch();
        let shadow = shadow_of(&mut self.shared, &mut self.global, access.place.owner);
        let line = shadow.line(base);
        let mut setting = Setting {
            threads: &self.threads,
            launch,
            all_readers: true,
            owner: access.place.owner,
            found: &mut self.found,
        };
        let start = setting.found.len();
        weak::compare_weak(line, base, &new, &who, &mut setting);
        let found = setting.found;
        finish(&mut found[start..], access);
        if let Some(value) = access.value {
            let stored = |conflict: &Conflict| {
                let info = self.sites.get(conflict.old.site as usize).copied().unwrap_or_default();
                conflict.old.writes
                    && conflict.old.agent == Agent::Thread
                    && info.stores
                    && info.bytes == access.place.bytes
            };
            let values = shadow.values_of_line(base);
            let at = usize::from(offset);
            let old = &values[at..(at + usize::from(access.place.bytes)).min(values.len())];
            for conflict in &mut found[start..] {
                conflict.same_value = stored(conflict) && value.to_le_bytes()[..old.len()] == *old;
            }
        }
        let line = shadow.line(base);
        let Some(strong) = line.strong() else { return };
        let start = found.len();
        let cover = new.cover();
        for place in strong.places.iter().filter(|place| place.overlaps(cover)) {
            let same_range = (place.offset, place.bytes) == (offset, access.place.bytes);
            let plain =
                same_range && !place.mixed && is_plain(&self.threads, site.strength, access);
            if plain && self.rules.applies(Rule::MorallyStrong) {
                continue;
            }
            let address = base + u64::from((place.live & cover).trailing_zeros());
            let lane = id.lane;
            compare_with_place(place, &who, lane, access.writes, |old, old_lane| {
                if !(old.writes || access.writes) || old.object && access.object {
                    return;
                }
                let theirs = self.sites.get(old.site as usize).copied().unwrap_or_default();
                if checks.allow(&self.threads, same_range, (&theirs, old.block), (&site, id.block))
                {
                    return;
                }
                let same_value = old.value.is_some() && same_range && old.value == access.value;
                let old = Side::of_strong(old, old_lane);
                let new = Side::of_entry(&new, lane);
                let conflict = Conflict::new(old, new, address, access.place.owner);
                found.push(Conflict { same_value, ..conflict });
            });
        }
        finish(&mut found[start..], access);
    }

    fn as_entry(&self, access: &StrongAccess, offset: u8) -> Entry {
        Entry {
            block: access.id.block,
            epoch: 0,
            site: access.site,
            lanes: 1 << access.id.lane,
            active: access.active,
            warp: access.id.warp as u8,
            held: self.locks.held(access.id),
            mapping: Mapping::UNIFORM,
            writes: access.writes,
            ..Entry::EMPTY
        }
        .with_cover(super::shadow::range(offset, access.place.bytes))
    }

    fn remember_strong(&mut self, access: &StrongAccess, linked: bool) {
        let id = access.id;
        let (base, offset) = position(access.place.start);
        let strength = self.site_info(access.site).strength;
        let held = self.locks.held(id);
        let state = self.threads.warp(id.block, id.warp);
        let epoch = state.epoch;
        let entry = StrongEntry {
            block: id.block,
            epoch,
            site: access.site,
            lanes: 1 << id.lane,
            active: access.active,
            warp: id.warp as u8,
            held,
            writes: access.writes,
            atomic: access.atomic,
            observes: access.observes && !access.object,
            linked,
            object: access.object,
            value: access.value,
        };
        let shadow = shadow_of(&mut self.shared, &mut self.global, access.place.owner);
        let line = shadow.line(base);
        let threads = &self.threads;
        let place = line.place(offset, access.place.bytes);
        let was_current = place.current;
        place.mixed |= !is_plain(threads, strength, access) && !access.object;
        place.add(entry, |old| threads.is_permanent(old.block, old.warp, old.epoch));
        if access.object {
            place.current = was_current;
        } else if access.writes {
            line.overwrite_other_places(offset, access.place.bytes);
        }
    }

    /// What was released before a strong write is there for those who observe it. A plain store begins
    /// anew, a read-modify-write continues what was there.
    fn publish(&mut self, access: &StrongAccess, linked: bool) {
        let id = access.id;
        let cluster = self.threads.cluster(id.block);
        let carried = self.carried(access);
        let (base, offset) = position(access.place.start);
        let continues = if access.atomic {
            linked && self.rules.applies(Rule::UpdatesContinue)
        } else {
            !self.rules.applies(Rule::StoresBeginAnew)
        };
        let shadow = shadow_of(&mut self.shared, &mut self.global, access.place.owner);
        let chain = &mut shadow.line(base).place(offset, access.place.bytes).chain;
        if chain.is_some() {
            self.rules.count(match (continues, access.atomic) {
                (true, _) => Rule::UpdatesContinue,
                (false, true) => Rule::LinksAreMorallyStrong,
                (false, false) => Rule::StoresBeginAnew,
            });
        }
        if !continues {
            *chain = None;
        }
        if carried.iter().all(Option::is_none) {
            return;
        }
        self.versions += 1;
        let chain = chain.get_or_insert_with(|| Box::new(Chain::default()));
        chain.version = self.versions;
        chain.released.add_by_reach(id.block, cluster, &carried);
    }

    /// What a strong write carries, by whom it reaches.
    fn carried(&mut self, access: &StrongAccess) -> ByReach {
        let id = access.id;
        let mut carried = ByReach::default();
        if access.order.releases() && self.rules.applies(Rule::ReleaseOperation) {
            self.rules.count(Rule::ReleaseOperation);
            let announced = Arc::new(self.threads.announced(id));
            carried[..=reach(access.scope)].fill(Some(announced));
        }
        let (then_write, fences) =
            (self.rules.applies(Rule::ReleaseThenWrite), self.rules.applies(Rule::ReleaseFence));
        let state = self.threads.warp(id.block, id.warp);
        for (at, carried) in carried.iter_mut().enumerate().filter(|(_, view)| view.is_none()) {
            // The newest fence that reaches at least as far as needed.
            let Some(fence) = state.releasing_fence(id.lane, at).filter(|_| fences) else {
                continue;
            };
            self.rules.count(Rule::ReleaseFence);
            *carried = Some(Arc::new(fence.announced(id.block, id.warp, id.lane)));
        }
        let is_release = access.order.releases();
        if !is_release && state.memories.is_empty() {
            return carried;
        }
        let memory = state.memory(id.lane);
        if let Some(earlier) = memory.released_at.get(&access.place)
            && then_write
        {
            for (carried, earlier) in carried.iter_mut().zip(earlier) {
                if let Some(earlier) = earlier {
                    self.rules.count(Rule::ReleaseThenWrite);
                    join_optional(carried, earlier);
                }
            }
        }
        if is_release {
            memory.released_at.insert(access.place, carried.clone());
        }
        carried
    }

    pub(super) fn site_info(&self, site: u32) -> &SiteInfo {
        self.sites.get(site as usize).unwrap_or(&SiteInfo::UNKNOWN)
    }
}

/// The sides of what was found so far come from weak accesses; the new one is strong.
fn finish(found: &mut [Conflict], access: &StrongAccess) {
    for conflict in found {
        conflict.new.weak = false;
        conflict.new.atomic = access.atomic;
        conflict.new.object = access.object;
    }
}

/// Which conditions of moral strength count.
struct Checks<'a> {
    rules: &'a Rules,
}

impl Checks<'_> {
    /// Whether two strong accesses do not race, though nothing orders them.
    fn allow(
        &self,
        threads: &Threads,
        same_range: bool,
        old: (&SiteInfo, u32),
        new: (&SiteInfo, u32),
    ) -> bool {
        let scope = |info: &SiteInfo| info.strength.scope().unwrap_or(Scope::Sys);
        let mutual = threads.mutual((scope(old.0), old.1), (scope(new.0), new.1));
        let volatile = old.0.strength == Strength::Volatile || new.0.strength == Strength::Volatile;
        // A condition that does not count is as good as met.
        let met = |condition: bool, rule: Rule| {
            if !condition {
                self.rules.count(rule);
            }
            condition || !self.rules.applies(rule)
        };
        self.rules.count(Rule::MorallyStrong);
        let range = met(same_range, Rule::SameRange);
        let scopes = met(mutual, Rule::ScopesAreMutual);
        let both = met(!volatile, Rule::Volatile);
        self.rules.applies(Rule::MorallyStrong) && range && scopes && both
    }
}

/// Strong for everybody, also in the eyes of CUDA C++. Shared memory is mostly used by its own block,
/// which any scope reaches; the exceptions make the place a mixed one. So does the host, which device scope does
/// not reach.
fn is_plain(threads: &Threads, strength: Strength, access: &StrongAccess) -> bool {
    if threads.is_of_host(access.id.block) {
        return false;
    }
    match (strength, access.place.owner) {
        (Strength::Strong { .. }, Some(owner)) => owner == access.id.block,
        (Strength::Strong { scope: Scope::Gpu | Scope::Sys, .. }, None) => true,
        _ => false,
    }
}

/// The line of an address, and the place in it.
pub(super) fn position(address: u64) -> (u64, u8) {
    let base = line_of(address);
    (base, (address - base) as u8)
}
