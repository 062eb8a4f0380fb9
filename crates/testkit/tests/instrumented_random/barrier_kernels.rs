//! Random kernels whose threads are ordered by barriers alone, and all races that are in them, by brute force.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use warpsan_event::{Access, AccessKind, Batch, CopyBegin, Event, EventMask, EventSink};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{Dim3, Geometry, Space, Strength, WARP_LANES};
use warpsan_ptx::Document;
use warpsan_simt::{Launch, Prepared, Schedule, run};
use warpsan_testkit::instrumented::EmulatedDevice;

/// Bytes of each memory that most accesses go to.
pub(crate) const BYTES: u64 = 1024;
/// Bytes of global memory: behind the first part is what nobody writes but loops over lines.
pub(crate) const GLOBAL_BYTES: u64 = 8 * BYTES;

/// What kernels have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mix {
    /// Threads may leave early.
    pub(crate) leaving: bool,
    /// Barriers of warps.
    pub(crate) warp_barriers: bool,
    /// Barriers of tiles of so many lanes.
    pub(crate) tiles: Option<u32>,
    /// Atomic updates.
    pub(crate) updates: bool,
    /// Asynchronous copies to shared memory, mostly of what nobody writes.
    pub(crate) copies: bool,
    /// Volatile accesses of shared memory.
    pub(crate) volatile: bool,
    /// No loads of shared memory.
    pub(crate) stores_alone: bool,
    /// Loops over lines of global memory.
    pub(crate) loops_of_lines: bool,
}

impl Mix {
    /// Barriers of blocks, and threads that leave early.
    pub(crate) const BARRIERS_OF_BLOCKS: Mix = Mix {
        leaving: true,
        warp_barriers: false,
        tiles: None,
        updates: false,
        copies: false,
        volatile: false,
        stores_alone: false,
        loops_of_lines: false,
    };
}

/// The kind of a race and the lines of both instructions in the PTX.
pub(crate) type RaceOnLines = (String, u32, u32);

/// What an access does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    Read,
    Write,
    Update,
}

/// A moment of a thread: how often its block's threads had met, then its warp's, then those of its tile, and how many copies and waits it had come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    met: u32,
    warp_met: u32,
    tile_met: u32,
    step: u32,
}

/// When a copy ends that is never waited for.
const NEVER: Moment =
    Moment { met: u32::MAX, warp_met: u32::MAX, tile_met: u32::MAX, step: u32::MAX };

/// Whom a byte was accessed by. All but copies end when they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Accessor {
    block: u32,
    thread: u32,
    begin: Moment,
    end: Moment,
    line: u32,
    does: Does,
    is_copy: bool,
    is_volatile: bool,
}

/// A copy that is under way.
struct BegunCopy {
    number: u64,
    accessor: Accessor,
    /// Shared memory of a block, or global memory.
    memory: Option<u32>,
    bytes: std::ops::Range<u64>,
}

/// Every byte with its accessors, by memory: each block has shared memory of its own.
#[derive(Default)]
struct Oracle {
    /// The lanes of a tile, if these have barriers of their own.
    tile: Option<u32>,
    bytes: HashMap<(Option<u32>, u64), BTreeSet<Accessor>>,
    copies: Vec<BegunCopy>,
    met: HashMap<u32, u32>,
    /// Of each warp of a block.
    warp_met: HashMap<(u32, u32), u32>,
    /// Of each thread of a block, in its tile.
    tile_met: HashMap<(u32, u32), u32>,
    /// Of each thread of a block.
    steps: HashMap<(u32, u32), u32>,
    lines: Vec<u32>,
}

/// The races of a kernel: of each byte that has any, the pairs of lines; and of those of them that are not of two volatile accesses, once more.
pub(crate) struct Races {
    of_bytes: Vec<BTreeSet<RaceOnLines>>,
}

impl Races {
    /// The races of all bytes.
    pub(crate) fn all(&self) -> BTreeSet<RaceOnLines> {
        self.of_bytes.iter().flatten().cloned().collect()
    }

    /// Those of one byte after the other.
    pub(crate) fn of_bytes(&self) -> &[BTreeSet<RaceOnLines>] {
        &self.of_bytes
    }
}

impl EventSink for Oracle {
    fn interest(&self) -> EventMask {
        EventMask::ALL
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            match event {
                Event::LaunchBegin { sites, .. } => {
                    self.lines = sites.sites.iter().map(|site| site.ptx_line).collect();
                }
                Event::BlockBarrier { block, .. } => *self.met.entry(block.0).or_default() += 1,
                Event::WarpBarrier { block, warp, mask } => self.warp_barrier(block.0, warp, mask),
                Event::Access(access) => self.access(&access),
                Event::CopyBegin(copies) => self.begin_copies(&copies),
                Event::CopyWait { block, warp, mask, before, .. } => {
                    for (lane, before) in lanes_of(mask).zip(before) {
                        self.end_copies(block.0, warp * WARP_LANES + lane, *before);
                    }
                }
                _ => {}
            }
        }
    }
}

impl Oracle {
    /// Where a thread is now.
    fn moment(&self, block: u32, thread: u32) -> Moment {
        let met = self.met.get(&block).copied().unwrap_or(0);
        let warp_met = self.warp_met.get(&(block, thread / WARP_LANES)).copied().unwrap_or(0);
        let tile_met = self.tile_met.get(&(block, thread)).copied().unwrap_or(0);
        let step = self.steps.get(&(block, thread)).copied().unwrap_or(0);
        Moment { met, warp_met, tile_met, step }
    }

    fn warp_barrier(&mut self, block: u32, warp: u32, mask: u32) {
        for lane in lanes_of(mask) {
            *self.tile_met.entry((block, warp * WARP_LANES + lane)).or_default() += 1;
        }
        let tiles: BTreeSet<u32> =
            lanes_of(mask).map(|lane| lane / self.tile.unwrap_or(WARP_LANES)).collect();
        // Of a warp that has no other lanes, one tile is the whole warp, and in one tile either count says the same.
        if self.tile.is_none() || tiles.len() > 1 {
            *self.warp_met.entry((block, warp)).or_default() += 1;
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let block = access.block.0;
        let memory = (access.space == Space::Shared).then_some(block);
        let line = self.lines[access.site.0 as usize];
        let does = match access.kind {
            AccessKind::Read => Does::Read,
            AccessKind::Write => Does::Write,
            AccessKind::ReadModifyWrite | AccessKind::Reduction => Does::Update,
        };
        for (lane, address) in access.addresses.of(access.mask) {
            let thread = access.warp * WARP_LANES + lane;
            let now = self.moment(block, thread);
            let (begin, end, is_copy) = (now, now, false);
            let is_volatile = access.strength == Strength::Volatile;
            let accessor = Accessor { block, thread, begin, end, line, does, is_copy, is_volatile };
            for byte in address..address + access.bytes_of_lane() {
                self.bytes.entry((memory, byte)).or_default().insert(accessor);
            }
        }
    }

    fn begin_copies(&mut self, copies: &CopyBegin<'_>) {
        let (block, line) = (copies.block.0, self.lines[copies.site.0 as usize]);
        for (lane, _) in copies.to.addresses.of(copies.mask) {
            let thread = copies.warp * WARP_LANES + lane;
            *self.steps.entry((block, thread)).or_default() += 1;
        }
        let writes = (copies.to, Does::Write, Some(block));
        let reads = copies.from.map(|from| (from, Does::Read, None));
        for (side, does, memory) in std::iter::once(writes).chain(reads) {
            for ((lane, address), number) in side.addresses.of(copies.mask).zip(copies.first..) {
                let thread = copies.warp * WARP_LANES + lane;
                let begin = self.moment(block, thread);
                let (end, is_copy, is_volatile) = (NEVER, true, false);
                let accessor =
                    Accessor { block, thread, begin, end, line, does, is_copy, is_volatile };
                let bytes = address..address + u64::from(side.bytes);
                self.copies.push(BegunCopy { number, accessor, memory, bytes });
            }
        }
    }

    /// A thread has waited for its copies with smaller numbers.
    fn end_copies(&mut self, block: u32, thread: u32, before: u64) {
        let now = self.moment(block, thread);
        *self.steps.entry((block, thread)).or_default() += 1;
        for copy in &mut self.copies {
            let accessor = &mut copy.accessor;
            let is_own = (accessor.block, accessor.thread) == (block, thread);
            if is_own && accessor.end == NEVER && copy.number < before {
                accessor.end = now;
            }
        }
    }

    /// Enters all copies, now that their ends are known.
    fn enter_copies(&mut self) {
        for BegunCopy { accessor, memory, bytes, .. } in std::mem::take(&mut self.copies) {
            for byte in bytes {
                self.bytes.entry((memory, byte)).or_default().insert(accessor);
            }
        }
    }

    fn races(&self) -> Races {
        let races_of = |accessors: &BTreeSet<Accessor>, with_volatile: bool| {
            let pairs =
                accessors.iter().flat_map(|one| accessors.iter().map(move |other| (one, other)));
            let wanted = pairs
                .filter(|(one, other)| with_volatile || !(one.is_volatile && other.is_volatile));
            let races = wanted.filter_map(|(one, other)| race(one, other, self.tile));
            races.collect::<BTreeSet<RaceOnLines>>()
        };
        let all = |with_volatile| {
            self.bytes.values().map(move |accessors| races_of(accessors, with_volatile))
        };
        let of_bytes = all(true).chain(all(false)).filter(|races| !races.is_empty());
        Races { of_bytes: of_bytes.collect() }
    }
}

/// The lanes of a mask.
fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..WARP_LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// Whether one of them has ended before the other begins. Accesses of a thread between two steps are in no order here, but are of one thread.
fn is_before(one: &Accessor, other: &Accessor, tile: Option<u32>) -> bool {
    let same_block = one.block == other.block;
    let same_warp = same_block && one.thread / WARP_LANES == other.thread / WARP_LANES;
    let same_tile = tile.is_some_and(|tile| same_block && one.thread / tile == other.thread / tile);
    let (end, begin) = (one.end, other.begin);
    same_block && end.met < begin.met
        || same_warp && end.warp_met < begin.warp_met
        || same_tile && end.tile_met < begin.tile_met
        || same_warp && one.thread == other.thread && end.step < begin.step
}

/// The race of two accesses, if they are one.
fn race(one: &Accessor, other: &Accessor, tile: Option<u32>) -> Option<RaceOnLines> {
    let same_block = one.block == other.block;
    let same_warp = same_block && one.thread / WARP_LANES == other.thread / WARP_LANES;
    let is_plain_thread =
        same_block && one.thread == other.thread && !one.is_copy && !other.is_copy;
    let is_ordered = is_plain_thread || is_before(one, other, tile) || is_before(other, one, tile);
    let conflict = match (one.does, other.does) {
        (Does::Read, Does::Read) | (Does::Update, Does::Update) => false,
        (one, other) => one != Does::Read || other != Does::Read,
    };
    let kind = if same_warp { "warp-sync" } else { "missing-sync" };
    (one != other && conflict && !is_ordered)
        .then(|| (kind.to_owned(), one.line.min(other.line), one.line.max(other.line)))
}

/// Numbers that are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The body of a kernel while it is written.
struct Body {
    random: Random,
    mix: Mix,
    text: String,
    labels: u32,
    accesses: u32,
}

impl Body {
    /// An access whose address follows from thread, block and turn. Each has a register of its own, so that it is written down by
    /// itself and reports name it.
    fn access(&mut self, in_loop: bool) {
        let random = &mut self.random;
        let (bytes, unit) =
            random.one_of(&[(1, "u8"), (2, "u16"), (4, "u32"), (4, "u32"), (8, "u64")]);
        let of_thread = bytes * random.one_of(&[0, 1, 1, 1, 2, 3, 4]);
        let of_block = bytes * random.one_of(&[0, 0, 64, 64, 5]);
        let of_turn = if in_loop { bytes * random.one_of(&[0, 1, 32, 64, 7]) } else { 0 };
        let further = bytes * random.one_of(&[0, 0, 0, 0, 1, 2, 3, 4, 5]);
        let is_shared = random.below(2) == 0;
        let is_guarded = random.below(5) == 0;
        let writes = random.below(5) < 2 || (self.mix.stores_alone && is_shared);
        let space = if is_shared { "shared" } else { "global" };
        let (base, number) = (if is_shared { "%rd3" } else { "%rd1" }, self.accesses);
        self.accesses += 1;
        let guard = if is_guarded { "@%p3 " } else { "" };
        let limit = random.below(40);
        let register = if bytes == 8 { "%rd9" } else { "%r9" };
        // Beside tiles, shared memory is not updated.
        let may_update = self.mix.updates && !(is_shared && self.mix.tiles.is_some());
        let updates = may_update && bytes == 4 && random.below(3) == 0;
        let is_volatile = self.mix.volatile && is_shared && random.below(2) == 0;
        let volatile = if is_volatile { ".volatile" } else { "" };
        let what = match writes {
            _ if updates => format!("red.{space}.add.u32 [%a{number}], %r1;"),
            true => format!("st{volatile}.{space}.{unit} [%a{number}], {register};"),
            false => format!("ld{volatile}.{space}.{unit} {register}, [%a{number}];"),
        };
        // Where nothing is cut off, neighbouring threads are seen to access neighbouring places.
        let farthest = 95 * of_thread + 2 * of_block + 7 * of_turn + further + bytes;
        let cut = match farthest <= BYTES {
            true => String::new(),
            false => format!("and.b32 %r5, %r5, {};\n", BYTES - bytes),
        };
        let _ = write!(
            self.text,
            ".reg .b64 %a{number};\nmul.lo.u32 %r5, %r1, {of_thread};\nmad.lo.u32 %r5, %r2, {of_block}, %r5;\n\
             mad.lo.u32 %r5, %r4, {of_turn}, %r5;\nadd.u32 %r5, %r5, {further};\n{cut}\
             cvt.u64.u32 %a{number}, %r5;\nadd.u64 %a{number}, %a{number}, {base};\nsetp.gt.u32 %p3, %r1, {limit};\n\
             {guard}{what}\n"
        );
    }

    /// A loop whose warps access lines of global memory, and the threads of a warp words side by side.
    fn loop_of_lines(&mut self) {
        self.labels += 1;
        let random = &mut self.random;
        let (label, turns) = (self.labels, random.one_of(&[2, 3, 7, 40]));
        let _ = writeln!(self.text, "mov.u32 %r4, 0;\nLOOP{label}:");
        for _ in 0..=random.below(2) {
            let of_turn = random.one_of(&[0, 128, 128, 384]) % if turns == 40 { 384 } else { 385 };
            let (of_block, further) = (random.one_of(&[0, 512]), random.one_of(&[0, 0, 128, 4]));
            let (number, limit) = (self.accesses, random.below(200));
            self.accesses += 1;
            let what = match random.below(3) {
                0 => format!("st.global.u32 [%a{number}], %r1;"),
                _ => format!("ld.global.u32 %r9, [%a{number}];"),
            };
            let guard = if random.below(6) == 0 { "@%p3 " } else { "" };
            let _ = write!(
                self.text,
                ".reg .b64 %a{number};\nmul.lo.u32 %r5, %r1, 4;\nmad.lo.u32 %r5, %r2, {of_block}, %r5;\n\
                 mad.lo.u32 %r5, %r4, {of_turn}, %r5;\nadd.u32 %r5, %r5, {further};\ncvt.u64.u32 %a{number}, %r5;\n\
                 add.u64 %a{number}, %a{number}, %rd1;\nsetp.lt.u32 %p3, %r1, {limit};\n{guard}{what}\n"
            );
        }
        let _ = writeln!(
            self.text,
            "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, {turns};\n@%p1 bra LOOP{label};"
        );
    }

    /// A copy to shared memory of its own kind of address, the end of a group, or a wait.
    fn copy(&mut self, in_loop: bool) {
        let random = &mut self.random;
        match random.below(5) {
            0 => return self.text.push_str("cp.async.commit_group;\n"),
            1 => {
                let left = random.below(3);
                let _ = writeln!(self.text, "cp.async.wait_group {left};");
                return;
            }
            2 => return self.text.push_str("cp.async.wait_all;\n"),
            _ => {}
        }
        let bytes = random.one_of(&[4, 8, 16]);
        let of_thread = bytes * random.one_of(&[0, 1, 1, 1, 2]);
        let of_turn = if in_loop { bytes * random.one_of(&[0, 1, 32]) } else { 0 };
        let further = bytes * random.one_of(&[0, 0, 1, 2, 32]);
        let (number, limit) = (self.accesses, random.below(40));
        self.accesses += 1;
        let guard = if random.below(4) == 0 { "@%p3 " } else { "" };
        let source = if random.below(3) == 0 { 0 } else { BYTES };
        let _ = write!(
            self.text,
            ".reg .b64 %a{number}, %b{number};\nmul.lo.u32 %r5, %r1, {of_thread};\nmad.lo.u32 %r5, %r4, {of_turn}, %r5;\n\
             add.u32 %r5, %r5, {further};\nand.b32 %r5, %r5, {};\ncvt.u64.u32 %b{number}, %r5;\n\
             add.u64 %a{number}, %b{number}, %rd3;\nadd.u64 %b{number}, %b{number}, %rd1;\nsetp.gt.u32 %p3, %r1, {limit};\n\
             {guard}cp.async.ca.shared.global [%a{number}], [%b{number}+{source}], {bytes};\n",
            BYTES - bytes
        );
    }

    /// A barrier of all tiles, of every other tile, or of warps.
    fn barrier_of_tiles(&mut self) {
        let Some(lanes) = self.mix.tiles else { return };
        match self.random.below(4) {
            0 if self.mix.warp_barriers => self.text.push_str("bar.warp.sync -1;\n"),
            1 => {
                let _ = writeln!(
                    self.text,
                    "and.b32 %r5, %r10, {lanes};\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bar.warp.sync %r11;"
                );
            }
            _ => self.text.push_str("bar.warp.sync %r11;\n"),
        }
    }

    fn statement(&mut self, depth: u32) {
        if self.mix.copies && self.random.below(3) == 0 {
            return self.copy(false);
        }
        match self.random.below(10) {
            0 | 1 => self.text.push_str("bar.sync 0;\n"),
            2 | 3 if self.mix.loops_of_lines => self.loop_of_lines(),
            2 | 3 if depth == 0 => {
                self.labels += 1;
                let (label, turns) = (self.labels, 2 + self.random.below(6));
                let _ = writeln!(self.text, "mov.u32 %r4, 0;\nLOOP{label}:");
                for _ in 0..=self.random.below(3) {
                    match self.random.below(4) {
                        0 => self.text.push_str("bar.sync 0;\n"),
                        1 if self.mix.copies => self.copy(true),
                        1 if self.mix.tiles.is_some() => self.barrier_of_tiles(),
                        _ => self.access(true),
                    }
                }
                let _ = writeln!(
                    self.text,
                    "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, {turns};\n@%p1 bra LOOP{label};"
                );
            }
            4 if depth == 0 => {
                self.labels += 1;
                let (label, limit) = (self.labels, self.random.below(70));
                let _ =
                    writeln!(self.text, "setp.gt.u32 %p2, %r1, {limit};\n@%p2 bra JOIN{label};");
                for _ in 0..=self.random.below(2) {
                    self.access(false);
                }
                let _ = writeln!(self.text, "JOIN{label}:");
            }
            5 if depth == 0 && self.mix.leaving => {
                let limit = 20 + self.random.below(60);
                let _ = writeln!(self.text, "setp.gt.u32 %p2, %r1, {limit};\n@%p2 ret;");
            }
            6 | 7 if self.mix.tiles.is_some() => self.barrier_of_tiles(),
            6 if self.mix.warp_barriers => self.text.push_str("bar.warp.sync -1;\n"),
            _ => self.access(false),
        }
    }
}

/// A kernel of the mix, and its extents.
pub(crate) fn kernel(seed: u64, mix: Mix) -> (String, Geometry) {
    let mut body = Body { random: Random(seed), mix, text: String::new(), labels: 0, accesses: 0 };
    for _ in 0..3 + body.random.below(7) {
        body.statement(0);
    }
    let lanes = mix.tiles.unwrap_or(WARP_LANES / 2);
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{{\n\
         .reg .b32 %r<14>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\n.shared .align 16 .b8 tile[{BYTES}];\n\
         ld.param.u64 %rd1, [k_0];\nmov.u64 %rd3, tile;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mov.u32 %r4, 0;\nmov.u32 %r12, %laneid;\nand.b32 %r10, %r12, -{lanes};\nshl.b32 %r11, {}, %r10;\n{}ret;\n}}\n",
        (1u32 << lanes) - 1,
        body.text
    );
    let threads = body.random.one_of(&[32, 64, 72, 96]);
    let blocks = 1 + body.random.below(3) as u32;
    (text, Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) })
}

/// The races of a kernel as it is.
pub(crate) fn races_of(
    document: &Document,
    geometry: Geometry,
    seed: u64,
    tile: Option<u32>,
) -> anyhow::Result<Races> {
    let mut device = EmulatedDevice::new()?;
    let data = device.allocate(GLOBAL_BYTES)?;
    let index = ModuleIndex::of(document);
    let prepared = warpsan_ir::kernel(&index, &SymbolTable::new(), "k").and_then(Prepared::new)?;
    let mut oracle = Oracle { tile, ..Oracle::default() };
    let schedule = Schedule::random(seed);
    let parameters = data.0.to_le_bytes();
    let launch = Launch::new(&prepared, geometry, &parameters, &schedule);
    run(&launch, device.memory(), &mut oracle).result?;
    oracle.enter_copies();
    Ok(oracle.races())
}
