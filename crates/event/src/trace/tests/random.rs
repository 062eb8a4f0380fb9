//! Random events that an engine could have made.

use crate::testing::{Kernel, Lanes, Story, WEAK};
use crate::trace::items::Listed;
use crate::vocabulary::{
    Access, AccessKind, CopyBegin, CopySide, Event, LaneAddresses, MbarrierAccess,
};
use crate::{EventBuffer, KernelFacts, SharedVariable, Site, SiteTable};
use std::sync::Arc;
use warpsan_model::{
    BlockIndex, DeviceAddress, Dim3, LaunchId, Order, PassLoop, PassOrder, PassPlace, Scope,
    SiteId, SourceFrame, SourcePosition, Space, Strength,
};

const SITES: u32 = 40;
const BLOCKS: u32 = 12;
const WARPS: u32 = 3;
const SHARED_BYTES: u32 = 200 << 10;

/// The numbers of one seed.
struct Numbers(u64);

impl Numbers {
    fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    /// Below `end`.
    fn below(&mut self, end: u32) -> u32 {
        (self.any() >> 16) as u32 % end
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Of any size.
    fn word(&mut self) -> u64 {
        let shift = self.below(64);
        self.any() >> shift
    }

    fn words(&mut self, count: u32) -> Vec<u64> {
        match self.below(4) {
            0 => vec![self.word(); count as usize],
            1 => {
                let (first, step) = (self.word(), self.word());
                (0..u64::from(count)).map(|n| first.wrapping_add(step.wrapping_mul(n))).collect()
            }
            2 => (0..count).map(|_| self.any() & 0xFFFF).collect(),
            _ => (0..count).map(|_| self.word()).collect(),
        }
    }

    fn mask(&mut self) -> u32 {
        if self.chance() { u32::MAX } else { self.any() as u32 }
    }

    fn one_of<T: Listed>(&mut self) -> T {
        T::ALL[self.below(T::ALL.len() as u32) as usize]
    }

    fn strength(&mut self) -> Strength {
        match self.below(3) {
            0 => Strength::Weak,
            1 => Strength::Volatile,
            _ => Strength::Strong { order: self.one_of(), scope: self.one_of() },
        }
    }

    fn block(&mut self) -> BlockIndex {
        BlockIndex(self.below(BLOCKS))
    }

    fn site(&mut self) -> SiteId {
        SiteId(self.below(SITES))
    }

    /// An address in shared memory.
    fn shared(&mut self) -> u64 {
        u64::from(self.below(SHARED_BYTES))
    }

    /// Addresses of the lanes of a mask, in a form that `list` may be needed for. Behind each of them there is room.
    fn addresses<'a>(
        &mut self,
        space: Space,
        mask: u32,
        list: &'a mut Vec<u64>,
    ) -> LaneAddresses<'a> {
        let end = if space == Space::Shared { u64::from(SHARED_BYTES) } else { 1 << 62 };
        match self.below(3) {
            0 => LaneAddresses::Uniform(self.word() % end),
            1 => {
                let (first, last) = (self.word() % end, self.word() % end);
                // From the lowest active lane up or down.
                let stride = ((last as i64 - first as i64) / 32) as u64;
                let lowest = u64::from(mask.trailing_zeros() % 32);
                let first = first.wrapping_sub(stride.wrapping_mul(lowest));
                LaneAddresses::Strided { first, stride }
            }
            _ => {
                *list = self.words(mask.count_ones());
                list.iter_mut().for_each(|address| *address %= end);
                LaneAddresses::PerLane(list)
            }
        }
    }

    fn side<'a>(&mut self, mask: u32, list: &'a mut Vec<u64>) -> CopySide<'a> {
        let space = self.one_of();
        CopySide {
            space,
            owner: self.block(),
            addresses: self.addresses(space, mask, list),
            bytes: self.below(SHARED_BYTES),
        }
    }
}

/// Batches of these sizes, beside the launches that they belong to.
pub(super) fn random_events(seed: u64, counts: &[usize]) -> Vec<EventBuffer> {
    let mut numbers = Numbers(seed);
    counts
        .iter()
        .map(|count| {
            let mut buffer = launch(numbers.below(1000));
            for _ in 0..*count {
                push_event(&mut numbers, &mut buffer);
            }
            buffer
        })
        .collect()
}

/// A buffer with the beginning of a launch.
pub(super) fn launch(number: u32) -> EventBuffer {
    let frame = |line: u32| SourceFrame {
        function: format!("function{}", line % 3).into(),
        position: (!line.is_multiple_of(4)).then(|| SourcePosition {
            file: "a.cu".into(),
            line,
            column: line % 5,
        }),
    };
    let site = |index: u32| {
        let text = format!("ld.global.u32 %r{}, [%rd1];", index % 7);
        Site::new(text, index * 3 % 50, (0..index % 4).map(frame).collect())
    };
    let facts = KernelFacts {
        name: "_Z6kernelv".to_string(),
        display_name: "kernel()".to_string(),
        shared_variables: vec![SharedVariable { name: "tile".to_string(), offset: 16, bytes: 64 }],
        uses_fences: number.is_multiple_of(2),
        uses_mbarriers: number.is_multiple_of(3),
        has_line_information: true,
        pass_order: pass_order(),
        ..KernelFacts::default()
    };
    let mut kernel = Kernel::default().on(BLOCKS * 16, WARPS * 32).facts(facts);
    kernel.sites = Arc::new(SiteTable { sites: (0..SITES).map(site).collect() });
    Story::default().begin_kernel(number, kernel).into_events()
}

/// Two loops, one in the other, and sites in and around them.
fn pass_order() -> PassOrder {
    let inner = PassLoop { parent: Some(1), back: SiteId(9), first_barrier: None };
    let outer = PassLoop { parent: None, back: SiteId(11), first_barrier: Some(4) };
    let place = |site: u32| PassPlace {
        number: site * 7 % SITES,
        innermost: [None, Some(0), Some(1)][site as usize % 3],
        barrier: site.checked_sub(5).map(SiteId),
        any_barrier: site.checked_sub(2).map(SiteId),
    };
    PassOrder { places: (0..SITES).map(place).collect(), loops: vec![inner, outer] }
}

/// A store of neighbouring words, as most accesses are.
pub(super) fn plain_access(block: u32, warp: u32, site: u32, first: u64) -> Access<'static> {
    let at = LaneAddresses::Strided { first, stride: 4 };
    let access = Lanes::warp(block, warp).access(AccessKind::Write, WEAK, at);
    Access { site: SiteId(site), ..access }
}

fn push_event(numbers: &mut Numbers, buffer: &mut EventBuffer) {
    let (block, warp, mask, site) =
        (numbers.block(), numbers.below(WARPS), numbers.mask(), numbers.site());
    let mut lists = [Vec::new(), Vec::new()];
    let [one, other] = &mut lists;
    match numbers.below(28) {
        0..=5 => push_access(numbers, buffer, block, warp, mask, site),
        6 => buffer.push(Event::Clusters { extent: Dim3::new(1 + numbers.below(8), 1, 2) }),
        7 => buffer.push(Event::LaunchEnd { launch: LaunchId(numbers.below(9)) }),
        8 => buffer.push(Event::BlockEnd { block }),
        9 => {
            let (order, scope) = (numbers.one_of::<Order>(), numbers.one_of::<Scope>());
            buffer.push(Event::Fence { block, warp, mask, site, order, scope });
        }
        10 => {
            let barrier = numbers.below(16);
            buffer.push(Event::BlockArrive { block, warp, mask, site, barrier });
        }
        11 => {
            let (barrier, count) = (numbers.below(16), numbers.below(WARPS + 1));
            let participants = numbers.words(count);
            buffer.push(Event::BlockBarrier { block, barrier, participants: &participants });
        }
        12 => {
            let (order, phase) = (numbers.one_of(), numbers.any() as u32);
            buffer.push(Event::ClusterArrive { block, warp, mask, site, order, phase });
        }
        13 => {
            let phase = numbers.any() as u32;
            buffer.push(Event::ClusterWait { block, warp, mask, site, phase });
        }
        14 => {
            let proxy = numbers.one_of();
            buffer.push(Event::ProxyFence { block, warp, mask, site, proxy });
        }
        15 => buffer.push(Event::Mbarrier(MbarrierAccess {
            block,
            warp,
            lane: numbers.below(32),
            site,
            step: numbers.one_of(),
            strength: numbers.strength(),
            owner: numbers.block(),
            address: numbers.shared(),
            phase: numbers.word(),
        })),
        16 => {
            let copies = CopyBegin {
                block,
                warp,
                mask,
                site,
                kind: numbers.one_of(),
                first: numbers.word() >> 1,
                from: if numbers.chance() { Some(numbers.side(mask, one)) } else { None },
                to: numbers.side(mask, other),
                reduces: numbers.chance(),
            };
            buffer.push(Event::CopyBegin(copies));
        }
        17 => buffer.push(Event::CopyEnd { copy: numbers.word() }),
        18 => {
            let copy = if numbers.chance() { Some(numbers.word()) } else { None };
            let (lane, owner) = (numbers.below(32), numbers.block());
            let (address, phase) = (numbers.shared(), numbers.word());
            let signal = Event::CopySignal { block, warp, lane, copy, owner, address, phase };
            buffer.push(signal);
        }
        19 => {
            let (bulk, read) = (numbers.chance(), numbers.chance());
            let before = numbers.words(mask.count_ones());
            let before = &before;
            buffer.push(Event::CopyWait { block, warp, mask, site, bulk, read, before });
        }
        20 => buffer.push(Event::WarpBarrier { block, warp, mask }),
        21 => buffer.push(Event::BarrierDivergence {
            block,
            site,
            thread: numbers.below(WARPS * 32),
            lanes: mask,
            other_site: numbers.site(),
            other_thread: numbers.below(WARPS * 32),
            other_lanes: !mask,
            completes: numbers.chance(),
        }),
        22 => {
            let (address, bytes) = (DeviceAddress(numbers.word() >> 1), numbers.word() >> 1);
            let label = format!("allocation {}", numbers.below(9));
            buffer.push(Event::Allocation { address, bytes, label: &label });
        }
        23 => {
            let launch = 1 + numbers.below(99);
            let count = numbers.below(4);
            let mut some =
                || -> Vec<_> { (0..count).map(|_| LaunchId(numbers.below(launch))).collect() };
            let (after, after_wait, open) = (&some()[..], &some()[..], &some()[..]);
            let (launch, perhaps_after) = (LaunchId(launch), &some()[..]);
            buffer.push(Event::LaunchOrder { launch, after, after_wait, perhaps_after, open });
        }
        24 => buffer.push(Event::PrerequisiteWait { block, warp, mask, site }),
        25 => buffer.push(Event::LanesEnd { block, warp, mask }),
        26 => buffer.push(Event::Reconvergence { block, warp, mask }),
        _ => buffer.push(Event::Free { address: DeviceAddress(numbers.word()) }),
    }
}

fn push_access(
    numbers: &mut Numbers,
    buffer: &mut EventBuffer,
    block: BlockIndex,
    warp: u32,
    mask: u32,
    site: SiteId,
) {
    let mut list = Vec::new();
    let values = if numbers.chance() {
        Vec::new()
    } else {
        let n = numbers.below(130);
        numbers.words(n)
    };
    let versions = if numbers.chance() { Vec::new() } else { numbers.words(mask.count_ones()) };
    let wrote = match numbers.below(3) {
        0 => 0,
        1 => mask,
        _ => numbers.any() as u32 & mask,
    };
    let space = numbers.one_of();
    let access = Access {
        block,
        warp,
        site,
        mask,
        wrote,
        space,
        owner: if numbers.chance() { block } else { numbers.block() },
        kind: numbers.one_of(),
        strength: numbers.strength(),
        bytes: 1 << numbers.below(5),
        elements: 1 << numbers.below(4),
        addresses: numbers.addresses(space, mask, &mut list),
        values: &values,
        versions: &versions,
        read_only_path: numbers.chance(),
    };
    buffer.push(Event::Access(access));
}
