//! From instructions to the trace operations of section 5.4.1: which accesses acquire and release.
//!
//! The thesis infers this from static code, and so does this: the table of a kernel's instructions is in the order of its
//! text. What stands between, other than accesses of shared and global memory, fences and barriers, does not count.
//! - "If a store instruction is immediately preceded by a memory fence", the two "are bundled together into a release
//!   operation"; "acquire operations arise similarly, from a load followed by a fence". Neither is checked: the rules of
//!   acquires and releases have no premise, and the thesis says that races can be missed by it.
//! - "An atomic instruction sandwiched between fences acts as both", and one that is "not immediately preceded or followed
//!   by a memory fence" is a standalone atomic. What one is that has a fence on one side, the thesis leaves open. Behind a fence
//!   it is both here: `threadFenceReduction`, which the thesis says its inference was tuned for, counts blocks so, and
//!   table 5.1 has no race for it in global memory, where the last block reads what the others wrote. In front of a fence
//!   it acquires, as a load and `atom.cas` do; nothing asks for more.
//! - `atom.cas` acquires in front of a fence and `atom.exch` releases behind one; between two fences they do both, too.
//! - A fence behind an `atom.cas`, or in front of an `atom.exch`, is theirs, and makes nothing of the access on its other
//!   side: otherwise the first store and the last load in a critical section would never be compared with others. The thesis
//!   does not say so; to the letter, `data` in `cas; fence; st data` is a release.
//! - Accesses that acquire or release by themselves, which PTX did not have then, do so, and atomics that release acquire:
//!   they are what an access with a fence is.

use crate::last_access::Reach;
use warpsan_event::{AtomicKind, Operation, OperationKind, Site, SiteTable};
use warpsan_model::{Order, Scope, SiteId, Strength};

/// What an access is besides an access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) acquires: Option<Reach>,
    pub(super) releases: Option<Reach>,
}

impl Role {
    /// It synchronises, and is not compared with other accesses.
    pub(super) fn synchronises(self) -> bool {
        self.acquires.is_some() || self.releases.is_some()
    }
}

/// What an instruction is, as far as roles depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OperationClass {
    Load,
    Store,
    CompareAndSwap,
    Exchange,
    OtherAtomic,
    Fence { reach: Reach, acquires: bool, releases: bool },
    Barrier,
}

/// What a scope is to the thesis: clusters, which it does not know, are taken for the grid, since that never makes a report.
pub(super) fn reach_of(scope: Scope) -> Reach {
    Reach::of(scope, Reach::Device)
}

/// The class of an instruction; none for what does not count.
fn class_of(operation: &Operation) -> Option<OperationClass> {
    match operation.kind {
        OperationKind::Load | OperationKind::Store if operation.is_private() => None,
        OperationKind::Load => Some(OperationClass::Load),
        OperationKind::Store => Some(OperationClass::Store),
        OperationKind::Atomic(AtomicKind::CompareAndSwap) => Some(OperationClass::CompareAndSwap),
        OperationKind::Atomic(AtomicKind::Exchange) => Some(OperationClass::Exchange),
        OperationKind::Atomic(AtomicKind::Update) => Some(OperationClass::OtherAtomic),
        OperationKind::Fence => Some(OperationClass::Fence {
            reach: if operation.scope == Some(Scope::Cta) { Reach::Block } else { Reach::Device },
            acquires: operation.order != Some(Order::Release),
            releases: operation.order != Some(Order::Acquire),
        }),
        OperationKind::BlockBarrier { .. } | OperationKind::ClusterBarrier => {
            Some(OperationClass::Barrier)
        }
        OperationKind::WarpBarrier | OperationKind::Other => None,
    }
}

/// What the code says of an instruction.
#[derive(Debug, Clone, Copy, Default)]
struct Instruction {
    role: Role,
    /// If it releases, it acquires, too.
    releases_as_both: bool,
}

/// The instructions of a kernel.
#[derive(Debug, Default)]
pub(super) struct Operations(Vec<Instruction>);

impl Operations {
    /// What can be seen in the code.
    pub(super) fn of(sites: &SiteTable) -> Operations {
        let class = |(number, site): (usize, &Site)| Some((number, class_of(site.operation())?));
        let classes: Vec<(usize, OperationClass)> =
            sites.sites.iter().enumerate().filter_map(class).collect();
        let mut known = vec![Instruction::default(); sites.sites.len()];
        for (index, (number, class)) in classes.iter().enumerate() {
            let at = |distance: isize| {
                let index = index.checked_add_signed(distance)?;
                classes.get(index).map(|(_, class)| *class)
            };
            let releases_as_both = *class == OperationClass::OtherAtomic;
            known[*number] = Instruction { role: role_of(at), releases_as_both };
        }
        Operations(known)
    }

    /// The role of an access.
    #[inline]
    pub(super) fn role(&self, site: SiteId, strength: Strength) -> Role {
        let known = self.0.get(site.0 as usize).copied().unwrap_or_default();
        let mut role = known.role;
        if let Strength::Strong { order, scope } = strength {
            let own = reach_of(scope);
            if order.acquires() {
                role.acquires = role.acquires.max(Some(own));
            }
            if order.releases() {
                role.releases = role.releases.max(Some(own));
            }
        }
        if known.releases_as_both {
            role.acquires = role.acquires.or(role.releases);
        }
        role
    }
}

/// The role of an operation among its neighbours, which are given by their distance.
fn role_of(at: impl Fn(isize) -> Option<OperationClass>) -> Role {
    let before = match at(-1) {
        Some(OperationClass::Fence { reach, releases: true, .. }) => Some(reach),
        _ => None,
    };
    let behind = match at(1) {
        Some(OperationClass::Fence { reach, acquires: true, .. }) => Some(reach),
        _ => None,
    };
    let neither = Role::default();
    match at(0) {
        Some(OperationClass::Load) if at(2) != Some(OperationClass::Exchange) => {
            Role { acquires: behind, ..neither }
        }
        Some(OperationClass::Store) if at(-2) != Some(OperationClass::CompareAndSwap) => {
            Role { releases: before, ..neither }
        }
        Some(OperationClass::OtherAtomic) => Role { acquires: behind, releases: before },
        Some(OperationClass::CompareAndSwap) if behind.is_some() => {
            Role { acquires: behind, releases: before }
        }
        Some(OperationClass::Exchange) if before.is_some() => {
            Role { acquires: behind, releases: before }
        }
        _ => neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Option<Reach> = Some(Reach::Block);
    const GRID: Option<Reach> = Some(Reach::Device);
    const LOAD: &str = "ld.volatile.global.u32 %r1, [%rd1];";
    const STORE: &str = "@%p1 st.global.u32 [%rd1], %r1;";
    const CAS: &str = "atom.global.cas.b32 %r1, [%rd1], 0, 1;";
    const EXCH: &str = "atom.global.exch.b32 %r1, [%rd1], 0;";
    const ADD: &str = "red.global.add.u32 [%rd1], 1;";
    const GL: &str = "membar.gl;";
    const CTA: &str = "membar.cta;";

    /// What each instruction acquires and releases.
    fn roles(instructions: &[&str]) -> Vec<(Option<Reach>, Option<Reach>)> {
        let site = |text: &&str| Site::new(*text, 1, Vec::new());
        let sites = SiteTable { sites: instructions.iter().map(site).collect() };
        let operations = Operations::of(&sites);
        let role = |number: usize| operations.role(SiteId(number as u32), Strength::Weak);
        let pair = |role: Role| (role.acquires, role.releases);
        (0..instructions.len()).map(|number| pair(role(number))).collect()
    }

    #[test]
    fn fences_make_acquires_of_loads_and_releases_of_stores() {
        let none = (None, None);
        assert_eq!(roles(&[LOAD, GL]), [(GRID, None), none]);
        assert_eq!(roles(&[CTA, STORE]), [none, (None, BLOCK)]);
        assert_eq!(roles(&[STORE, GL, LOAD]), [none; 3]);
        assert_eq!(roles(&[LOAD, CTA, STORE]), [(BLOCK, None), none, (None, BLOCK)]);
        assert_eq!(roles(&["membar.sys;", STORE])[1], (None, GRID));
        assert_eq!(roles(&["fence.acq_rel.cluster;", STORE])[1], (None, GRID));
        assert_eq!(roles(&["fence.sc.cta;", STORE])[1], (None, BLOCK));
    }

    #[test]
    fn only_accesses_fences_and_barriers_stand_between() {
        let arithmetic = ["add.s32 %r1, %r1, 1;", "@%p1 bra LOOP;", "ld.param.u64 %rd1, [p];"];
        let none = (None, None);
        let with = |middle: &str| roles(&[LOAD, middle, GL])[0];
        assert!(arithmetic.iter().all(|middle| with(middle) == (GRID, None)));
        assert!(["bar.sync 0;", STORE].iter().all(|middle| with(middle) == none));
        assert_eq!(with("bar.warp.sync -1;"), (GRID, None));
        assert_eq!(with("fence.proxy.async;"), (GRID, None));
        assert_eq!(roles(&["ld.local.u32 %r1, [%rd1];", GL])[0], none);
    }

    #[test]
    fn fences_that_go_one_way_do() {
        let none = (None, None);
        assert_eq!(roles(&[LOAD, "fence.release.gpu;", STORE]), [none, none, (None, GRID)]);
        assert_eq!(roles(&[LOAD, "fence.acquire.gpu;", STORE]), [(GRID, None), none, none]);
    }

    #[test]
    fn an_atomic_behind_a_fence_does_both() {
        assert_eq!(roles(&[GL, ADD, CTA])[1], (BLOCK, GRID));
        assert_eq!(roles(&[GL, ADD])[1], (GRID, GRID));
        assert_eq!(roles(&[ADD, CTA])[0], (BLOCK, None), "a fence behind only");
        assert_eq!(roles(&[STORE, ADD, STORE])[1], (None, None));
    }

    #[test]
    fn locks_are_taken_by_cas_and_given_back_by_exch() {
        let none = (None, None);
        assert_eq!(roles(&[CAS, GL, STORE]), [(GRID, None), none, none], "the fence is the lock's");
        assert_eq!(roles(&[LOAD, GL, EXCH]), [none, none, (None, GRID)]);
        assert_eq!(roles(&[GL, CAS])[1], none);
        assert_eq!(roles(&[EXCH, GL])[0], none);
        assert_eq!(roles(&[GL, CAS, CTA])[1], (BLOCK, GRID));
        assert_eq!(roles(&[GL, EXCH, CTA])[1], (BLOCK, GRID));
    }

    #[test]
    fn accesses_with_an_order_of_their_own_need_no_fence() {
        let role = |order| {
            let strength = Strength::Strong { order, scope: Scope::Gpu };
            Operations::default().role(SiteId(0), strength)
        };
        assert_eq!(role(Order::Acquire), Role { acquires: GRID, releases: None });
        assert_eq!(role(Order::Release), Role { acquires: None, releases: GRID });
        assert_eq!(role(Order::AcqRel), Role { acquires: GRID, releases: GRID });
        assert!(!role(Order::Relaxed).synchronises());
        let site = Site::new(ADD, 1, Vec::new());
        let atomic = Operations::of(&SiteTable { sites: vec![site] });
        let of_atomic = |order| {
            let strength = Strength::Strong { order, scope: Scope::Cta };
            atomic.role(SiteId(0), strength)
        };
        assert_eq!(of_atomic(Order::Release), Role { acquires: BLOCK, releases: BLOCK });
        assert_eq!(of_atomic(Order::Acquire), Role { acquires: BLOCK, releases: None });
    }
}
