//! Random kernels that have barriers alone, most of them racy: the sets of the device find exactly what is there, pair by pair of
//! instructions. (Those of the host name another line where they have merged regions of several.)

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use warpsan_event::{Access, AccessKind, Batch, Event, EventMask, EventSink};
use warpsan_instrument::{DevicePlan, SetScheme};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{Dim3, Geometry, Space, WARP_LANES};
use warpsan_ptx::Document;
use warpsan_simt::{Launch, Prepared, Schedule, run};
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, Parsed};

const KERNELS: u64 = 150;
/// Of so many kernels one is tried with the eager scheme as well, which takes long where all accesses meet in a few lines.
const EAGER_ONES: u64 = 15;
/// Bytes of each memory that accesses go to.
const BYTES: u64 = 1024;

/// Whom a byte was accessed by: the block, how often its threads had met, the thread, the line of the instruction, and whether it wrote.
type Accessor = (u32, u32, u32, u32, bool);

/// Every byte with its accessors, by memory: each block has shared memory of its own.
#[derive(Default)]
struct Oracle {
    bytes: HashMap<(Option<u32>, u64), BTreeSet<Accessor>>,
    met: HashMap<u32, u32>,
    lines: Vec<u32>,
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
                Event::Access(access) => self.access(&access),
                _ => {}
            }
        }
    }
}

impl Oracle {
    fn access(&mut self, access: &Access<'_>) {
        let block = access.block.0;
        let met = self.met.get(&block).copied().unwrap_or(0);
        let memory = (access.space == Space::Shared).then_some(block);
        let line = self.lines[access.site.0 as usize];
        for (lane, address) in access.addresses.of(access.mask) {
            let thread = access.warp * WARP_LANES + lane;
            let accessor = (block, met, thread, line, access.kind != AccessKind::Read);
            for byte in address..address + access.bytes_of_lane() {
                self.bytes.entry((memory, byte)).or_default().insert(accessor);
            }
        }
    }

    fn races(&self) -> BTreeSet<RaceOnLines> {
        let mut races = BTreeSet::new();
        for accessors in self.bytes.values() {
            let pairs =
                accessors.iter().flat_map(|one| accessors.iter().map(move |other| (one, other)));
            for (one, other) in pairs {
                let (same_block, same_thread) = (one.0 == other.0, one.2 == other.2);
                let is_ordered = same_block && (same_thread || one.1 != other.1);
                if is_ordered || !(one.4 || other.4) {
                    continue;
                }
                let in_warp = same_block && one.2 / WARP_LANES == other.2 / WARP_LANES;
                let kind = if in_warp { "warp-sync" } else { "missing-sync" };
                races.insert((kind.to_owned(), one.3.min(other.3), one.3.max(other.3)));
            }
        }
        races
    }
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
        let of_thread = bytes * random.one_of(&[0, 1, 1, 1, 2, 3]);
        let of_block = bytes * random.one_of(&[0, 0, 64, 64, 5]);
        let of_turn = if in_loop { bytes * random.one_of(&[0, 1, 32, 64, 7]) } else { 0 };
        let further = bytes * random.below(6);
        let is_shared = random.below(2) == 0;
        let is_guarded = random.below(5) == 0;
        let writes = random.below(5) < 2;
        let space = if is_shared { "shared" } else { "global" };
        let (base, number) = (if is_shared { "%rd3" } else { "%rd1" }, self.accesses);
        self.accesses += 1;
        let guard = if is_guarded { "@%p3 " } else { "" };
        let limit = random.below(40);
        let register = if bytes == 8 { "%rd9" } else { "%r9" };
        let what = match writes {
            true => format!("st.{space}.{unit} [%a{number}], {register};"),
            false => format!("ld.{space}.{unit} {register}, [%a{number}];"),
        };
        let _ = write!(
            self.text,
            ".reg .b64 %a{number};\nmul.lo.u32 %r5, %r1, {of_thread};\nmad.lo.u32 %r5, %r2, {of_block}, %r5;\n\
             mad.lo.u32 %r5, %r4, {of_turn}, %r5;\nadd.u32 %r5, %r5, {further};\nand.b32 %r5, %r5, {};\n\
             cvt.u64.u32 %a{number}, %r5;\nadd.u64 %a{number}, %a{number}, {base};\nsetp.gt.u32 %p3, %r1, {limit};\n\
             {guard}{what}\n",
            BYTES - bytes
        );
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(10) {
            0 | 1 => self.text.push_str("bar.sync 0;\n"),
            2 | 3 if depth == 0 => {
                self.labels += 1;
                let (label, turns) = (self.labels, 2 + self.random.below(6));
                let _ = writeln!(self.text, "mov.u32 %r4, 0;\nLOOP{label}:");
                for _ in 0..=self.random.below(3) {
                    match self.random.below(4) {
                        0 => self.text.push_str("bar.sync 0;\n"),
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
            5 if depth == 0 => {
                let limit = 20 + self.random.below(60);
                let _ = writeln!(self.text, "setp.gt.u32 %p2, %r1, {limit};\n@%p2 ret;");
            }
            _ => self.access(false),
        }
    }
}

fn kernel(seed: u64) -> (String, Geometry) {
    let mut body = Body { random: Random(seed), text: String::new(), labels: 0, accesses: 0 };
    for _ in 0..3 + body.random.below(7) {
        body.statement(0);
    }
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{{\n\
         .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\n.shared .align 16 .b8 tile[{BYTES}];\n\
         ld.param.u64 %rd1, [k_0];\nmov.u64 %rd3, tile;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mov.u32 %r4, 0;\n{}ret;\n}}\n",
        body.text
    );
    let threads = body.random.one_of(&[32, 64, 72, 96]);
    let blocks = 1 + body.random.below(3) as u32;
    (text, Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) })
}

/// The kind of a race and the lines of both instructions in the PTX.
type RaceOnLines = (String, u32, u32);

fn on_device(
    document: &Document,
    geometry: Geometry,
    plan: DevicePlan,
    seed: u64,
) -> anyhow::Result<BTreeSet<RaceOnLines>> {
    let parsed = Parsed::of(document);
    let made = parsed.instrument(parsed.kernels()[0], "sm_90", plan)?;
    let mut device = EmulatedDevice::for_plan(plan)?;
    let data = device.allocate(BYTES)?;
    let launch = EmulatedLaunch {
        kernel: "k",
        geometry,
        parameters: data.0.to_le_bytes().to_vec(),
        cooperative: false,
        cluster: None,
        dynamic_shared_bytes: 0,
        options: 0,
        seed,
    };
    let reports = device.launch(&made, &launch)?;
    let line = |site: u32| made.sites.sites[site as usize].ptx_line;
    let found = reports.iter().map(|report| {
        let kind = if report.class() == 1 { "warp-sync" } else { "missing-sync" };
        let (one, other) = (line(report.site), line(report.previous_site));
        (kind.to_owned(), one.min(other), one.max(other))
    });
    Ok(found.collect())
}

fn as_it_is(
    document: &Document,
    geometry: Geometry,
    seed: u64,
) -> anyhow::Result<BTreeSet<RaceOnLines>> {
    let mut device = EmulatedDevice::new()?;
    let data = device.allocate(BYTES)?;
    let index = ModuleIndex::of(document);
    let prepared = warpsan_ir::kernel(&index, &SymbolTable::new(), "k").and_then(Prepared::new)?;
    let mut oracle = Oracle::default();
    let schedule = Schedule::random(seed);
    let parameters = data.0.to_le_bytes();
    let launch = Launch::new(&prepared, geometry, &parameters, &schedule);
    run(&launch, device.memory(), &mut oracle).result?;
    Ok(oracle.races())
}

#[test]
fn sets_of_the_device_find_every_race_and_no_other() {
    let (mut compared, mut races) = (0, 0);
    for seed in 0..KERNELS {
        let (text, geometry) = kernel(seed);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        // Threads that leave early may be waited for by none, but a barrier in a loop may be one that some never reach.
        let Ok(there) = as_it_is(&document, geometry, seed) else { continue };
        let is_eager = seed % EAGER_ONES == 0;
        let schemes = [
            ("lazily", DevicePlan::Sets(SetScheme::Lazy)),
            ("eagerly", DevicePlan::Sets(SetScheme::Eager)),
        ];
        for (scheme, plan) in schemes.into_iter().take(1 + usize::from(is_eager)) {
            let on_device = on_device(&document, geometry, plan, seed)
                .unwrap_or_else(|error| panic!("kernel {seed}, {scheme}: {error:#}\n{text}"));
            assert_eq!(on_device, there, "kernel {seed}, {scheme}, with {geometry:?}:\n{text}");
        }
        compared += 1;
        races += there.len();
    }
    assert!(compared > KERNELS / 2 && races > 100, "{compared} kernels, {races} races");
}
