//! Events of asynchronous copies.

use crate::block::BlockInfo;
use crate::exec::core::{Core, Running};
use crate::target::Target;
use crate::warp::{Warp, lanes};
use warpsan_event::{CopyBegin, CopyKind, CopySide, Event, LaneAddresses};

/// One side of copies: where each lane's is, and its bytes.
type Side<'t> = (&'t [Target; 32], u64);

impl Core<'_> {
    #[expect(clippy::too_many_arguments, reason = "what an event says")]
    pub(super) fn emit_begin(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        kind: CopyKind,
        first: u64,
        (from, to): (Option<Side<'_>>, Side<'_>),
        reduces: bool,
    ) {
        let mask = running.mask;
        let lane = mask.trailing_zeros() as usize;
        // An event has one memory on each side: lanes that differ have an event each.
        let memory =
            |target: Target| target.location(block.index).map(|(space, owner, _)| (space, owner));
        let same = |targets: &[Target; 32]| {
            lanes(mask).all(|other| memory(targets[other]) == memory(targets[lane]))
        };
        if !same(to.0) || !from.is_none_or(|(targets, _)| same(targets)) {
            for (rank, lane) in lanes(mask).enumerate() {
                let own = Running { mask: 1 << lane, ..*running };
                let number = first + rank as u64;
                self.emit_begin(block, warp, &own, kind, number, (from, to), reduces);
            }
            return;
        }
        let addresses = |targets: &[Target; 32]| -> Vec<u64> {
            let place =
                |lane: usize| targets[lane].location(block.index).map_or(0, |location| location.2);
            lanes(mask).map(place).collect()
        };
        let (to_addresses, from_addresses) =
            (addresses(to.0), from.map_or(Vec::new(), |(targets, _)| addresses(targets)));
        fn side<'s>(
            own: warpsan_model::BlockIndex,
            target: Target,
            bytes: u64,
            addresses: &'s [u64],
        ) -> CopySide<'s> {
            let (space, owner, _) =
                target.location(own).unwrap_or((warpsan_model::Space::Local, own, 0));
            let addresses = LaneAddresses::PerLane(addresses);
            CopySide { space, owner, addresses, bytes: bytes as u32 }
        }
        self.trace.synchronisation(Event::CopyBegin(CopyBegin {
            block: block.index,
            warp: warp.index,
            mask,
            site: running.site,
            kind,
            first,
            from: from
                .map(|(targets, bytes)| side(block.index, targets[lane], bytes, &from_addresses)),
            to: side(block.index, to.0[lane], to.1, &to_addresses),
            reduces,
        }));
    }

    pub(super) fn emit_wait(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        bulk: bool,
        read: bool,
        before: &[u64],
    ) {
        self.trace.synchronisation(Event::CopyWait {
            block: block.index,
            warp: warp.index,
            mask: running.mask,
            site: running.site,
            bulk,
            read,
            before,
        });
    }
}
