//! The headers that are printed from the Rust structs and constants.

use super::layout::{DeviceType, Field, constants, enumeration, fields, structure};
use crate::checks::{ACCESS_HAS_BLOCK_SCOPE, ACCESS_HAS_LOCKS, Access, access_word};
use crate::context::{LaunchContext, options};
use crate::finding::{DeviceReport, LANE_SHIFT, Reports, WARP_SHIFT, value_rules};
use crate::happens_before::layout::{
    BESIDE_WHOLE_PLACE, BYTES_RECORD, BYTES_UPDATERS, EPOCH_PLACE, EPOCHS_AGAIN, EntriesHead,
    IN_SLOT, LAST_EPOCH, LINE_ENTRIES, MOST_PENDING, PAGE_BITS, PAGE_BYTES, PAGE_COUNT, PAGE_LINES,
    PAGE_SITES, PAGE_WRITERS, PAGES_OF_CHUNK, PENDING_BYTES, SLOT_ALIGNMENT, TILE_PLACE,
    entry_gaps, entry_rules, hows, lines,
};
use crate::private_copies::layout::{
    CopiesHead, GRANULE, Grouping, MOST_COPIES, NOTHING, SHADOW_WORDS, SweepParameters, Target,
    Units, key_bits, sweeps,
};
use crate::record::{self, DeviceHeads, Line, QueueDescriptor, RecordKind, Slot, location};
use crate::sets::expanding::{HAS_BLOCK, IN_SHARED, IS_SIGNED, NO_PLACE, WRITES};
use crate::sets::layout::{
    BLOCK_BYTES, CheckerParameters, Counters, ENTRY_BYTES, Head, KNOWN_BITS, PARTITIONS, ROW_BYTES,
    gaps,
};
use crate::shape::{CHUNK_BITS, ENTRY_BYTES_SHIFT, OLDER_SHIFT};
use std::fmt::Write as _;

/// What prints the headers, and compiles the sources.
pub const COMMAND: &str = "cargo xtask device-runtime --write";

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The name of its file.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// All headers that are printed.
pub fn headers() -> Vec<Header> {
    let parts = [
        ("context_layout.h", "`context.rs`", "", context()),
        ("metadata_layout.h", "`finding.rs`, `shape.rs`, `checks.rs`", "template.h", metadata()),
        ("record_layout.h", "`record.rs`", "template.h", records()),
        ("report_layout.h", "`finding.rs`", "template.h", reports()),
        ("sets_layout.h", "`sets/layout.rs`", "template.h", sets()),
        ("hb_layout.h", "`happens_before/layout.rs`", "template.h", entries()),
        ("ld_layout.h", "`private_copies/layout.rs`", "template.h", private_copies()),
    ];
    parts.map(|(name, of, include, text)| Header { name, text: header(of, include, &text) }).into()
}

fn header(of: &str, include: &str, text: &str) -> String {
    let include = match include {
        "" => String::new(),
        name => format!("#include \"{name}\"\n"),
    };
    format!("// Printed from {of} by `{COMMAND}`; change those.\n#pragma once\n{include}\n{text}")
}

/// How checks read a field of the context.
fn context_field<T: DeviceType>(
    name: &str,
    offset: usize,
    _: fn(&LaunchContext) -> &T,
    out: &mut String,
) {
    let _ = writeln!(out, "WS_CONTEXT_{}({name}, {offset})", T::BYTES * 8);
}

fn context() -> String {
    let mut text = String::new();
    macro_rules! context_fields {
        ($($field:ident),* $(,)?) => {
            $(context_field(
                stringify!($field),
                std::mem::offset_of!(LaunchContext, $field),
                |all| &all.$field,
                &mut text,
            );)*
        };
    }
    context_fields!(
        shadow_table,
        thread_fences,
        warp_barriers,
        thread_locks,
        warp_locks,
        reports,
        backoff_limit,
        options,
        launch,
        queues,
        turns,
        order,
        queue_count,
        turn_bits,
        warps,
        shape,
        sets,
        set_entries,
        direct_entries,
        set_tag,
        copies,
        copy_start,
        copy_stride,
        copy_power,
        copy_count,
        unit_count,
        units,
        shared_start,
        shared_stride,
        identities,
        entries,
        names,
        line_table,
        first_chunk,
        chunks,
        page_table,
        first_page,
        table_pages,
        interval_bits,
        last_interval,
        slots,
        slot_count,
        slot_bytes,
    );
    text
}

fn metadata() -> String {
    let kind = |access: Access| u64::from(access_word(access, false));
    let kinds = [
        ("LOAD", kind(Access::Load)),
        ("STORE", kind(Access::Store)),
        ("ATOMIC_ACCESS", kind(Access::Atomic { block_scope: false })),
    ];
    let words = [
        ("CHUNK_BITS", u64::from(CHUNK_BITS)),
        ("LANE", u64::from(LANE_SHIFT)),
        ("WARP", u64::from(WARP_SHIFT)),
        ("OLDER_SHIFT", u64::from(OLDER_SHIFT)),
        ("ENTRY_BYTES_SHIFT", u64::from(ENTRY_BYTES_SHIFT)),
        ("SCOPE_IS_BLOCK", u64::from(ACCESS_HAS_BLOCK_SCOPE)),
        ("WITH_LOCKS", u64::from(ACCESS_HAS_LOCKS)),
        ("NO_COALESCING", u64::from(options::NO_COALESCING)),
        ("NO_SHARING", u64::from(options::NO_SHARING)),
    ];
    format!("{}\n{}", constants("u32", &words), enumeration("Type", &kinds))
}

impl DeviceType for Line {
    const NAME: &'static str = "u64";
    const BYTES: usize = size_of::<u64>();
}

fn kind_name(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Access => "ACCESS",
        RecordKind::Turns => "TURNS",
        RecordKind::Values => "VALUES",
        RecordKind::BlockBarrierArrive => "BLOCK_BARRIER_ARRIVE",
        RecordKind::BlockBarrierLeave => "BLOCK_BARRIER_LEAVE",
        RecordKind::WarpBarrier => "WARP_BARRIER_ARRIVE",
        RecordKind::Fence => "FENCE",
        RecordKind::Exit => "EXIT",
        RecordKind::ClusterArrive => "CLUSTER_ARRIVE",
        RecordKind::ClusterWait => "CLUSTER_WAIT",
        RecordKind::ProxyFence => "PROXY_FENCE",
        RecordKind::Mbarrier => "MBARRIER",
        RecordKind::CopyBegin => "COPY_BEGIN",
        RecordKind::CopySource => "COPY_SOURCE",
        RecordKind::CopyObject => "COPY_OBJECT",
        RecordKind::CopyCommit => "COPY_COMMIT",
        RecordKind::CopyWait => "COPY_WAIT",
        RecordKind::CopyArrive => "COPY_ARRIVE",
        RecordKind::PrerequisiteWait => "PREREQUISITE_WAIT",
    }
}

fn records() -> String {
    let kinds = RecordKind::ALL.map(|kind| (kind_name(kind), kind as u64));
    let places = [
        ("OF_SITE", record::Place::OfSite as u64),
        ("GLOBAL_MEMORY", record::Place::Global as u64),
        ("SHARED_MEMORY", record::Place::Shared as u64),
        ("CLUSTER_MEMORY", record::Place::ClusterShared as u64),
    ];
    let heads = fields!(DeviceHeads { write_head, commit_index, known_read_head });
    let queue = fields!(QueueDescriptor {
        heads as "Heads *heads",
        read_head as "volatile u64 *read_head",
        ready as "volatile u64 *ready",
        slots,
        capacity,
    });
    let header = fields!(record::Header { block, warp, kind, site, mask, wrote, extra, ticket });
    let words = [
        ("UNKNOWN_PHASE", u64::from(record::UNKNOWN_PHASE)),
        ("ARRIVALS", u64::from(record::ARRIVALS_SHIFT)),
        ("SAME_COPY", u64::from(record::SAME_COPY)),
        ("LOCATION_SHIFT", u64::from(location::LOCATION_SHIFT)),
        ("OWNER_SHIFT", u64::from(location::OWNER_SHIFT)),
    ];
    let longs = [
        ("SHARED_KEY", location::SHARED),
        ("FENCE_KEY", location::FENCES),
        ("KEY_SPREAD", location::SPREAD),
        ("SLOT_BYTES", size_of::<Slot>() as u64),
        ("LANES_OFFSET", std::mem::offset_of!(Slot, lanes) as u64),
        ("TICKET_OFFSET", std::mem::offset_of!(record::Header, ticket) as u64),
    ];
    [
        enumeration("Kind", &kinds),
        enumeration("Place", &places),
        structure("Heads", size_of::<DeviceHeads>(), &heads),
        structure("Queue", size_of::<QueueDescriptor>(), &queue),
        structure("Header", size_of::<record::Header>(), &header),
        constants("u64", &longs),
        constants("u32", &words),
    ]
    .join("\n")
}

fn reports() -> String {
    let report = fields!(DeviceReport {
        address,
        accessor,
        previous,
        site,
        previous_site,
        rule,
        mask,
        launch,
        slot,
        more,
        variant,
        ready,
    });
    let all =
        fields!(Reports { ring as "Report *ring", capacity, head, lost, unused, kinds, counts });
    [
        structure("Report", size_of::<DeviceReport>(), &report),
        constants("u32", &[("KINDS", Reports::KINDS as u64)]),
        structure("Reports", Reports::BYTES, &all),
    ]
    .join("\n")
}

impl DeviceType for Counters {
    const NAME: &'static str = "Counters";
    const BYTES: usize = size_of::<Counters>();
}

impl DeviceType for Grouping {
    const NAME: &'static str = "Grouping";
    const BYTES: usize = size_of::<Grouping>();
}

impl DeviceType for Target {
    const NAME: &'static str = "Target";
    const BYTES: usize = size_of::<Target>();
}

fn private_copies() -> String {
    let words = [
        ("COPY_BITS", key_bits::COPY),
        ("REGION_BITS", key_bits::REGION),
        ("WORD_BITS", key_bits::WORD),
        ("WARP_BITS", key_bits::WARP),
        ("GRANULE_BYTES", GRANULE as u32),
        ("SHADOW_WORDS", SHADOW_WORDS as u32),
        ("INVOLVED_WORDS", (MOST_COPIES / 32) as u32),
        ("BLOCK_UNITS", Units::Blocks as u32),
        ("FIRST", sweeps::FIRST),
        ("GOES_ON", sweeps::GOES_ON),
        ("ALWAYS", sweeps::ALWAYS),
        ("COPIES_ONLY", sweeps::COPIES_ONLY),
        ("LOG_CHECKS", options::LOG_CHECKS),
        ("FIRST_PASS", options::FIRST_PASS),
        ("SECOND_PASS", options::SECOND_PASS),
        ("WARPS_RACED", value_rules::WARPS),
        ("BLOCKS_RACED", value_rules::BLOCKS),
        ("RACED_IN_SHARED", value_rules::IN_SHARED),
        ("RACED_IN_REGISTERS", value_rules::IN_REGISTERS),
        ("RACED_UNSEEN", value_rules::UNSEEN),
        ("LANE_PLACE", LANE_SHIFT),
        ("WARP_PLACE", WARP_SHIFT),
    ]
    .map(|(name, value)| (name, u64::from(value)));
    let grouping = fields!(Grouping { power, copies, count, units, unused });
    let target = fields!(Target { address, bytes, start, only_set_back });
    let head = fields!(CopiesHead {
        stopped,
        target_count,
        keys,
        bytes,
        logged,
        sides,
        logged_address,
        region,
        shadow,
        sums,
        displacements,
        targets,
        involved,
    });
    let sweep = fields!(SweepParameters {
        head,
        copies,
        originals,
        stride,
        reports,
        grouping,
        flags,
        launch,
        variant,
        warps_per_block,
        step,
        unused,
    });
    [
        constants("u32", &words),
        constants("u64", &[("NOTHING", NOTHING)]),
        structure("Grouping", size_of::<Grouping>(), &grouping),
        structure("Target", size_of::<Target>(), &target),
        structure("Head", size_of::<CopiesHead>(), &head),
        structure("Sweep", size_of::<SweepParameters>(), &sweep),
    ]
    .join("\n")
}

fn entries() -> String {
    let words = [
        ("WRITES", hows::WRITES),
        ("UPDATES", hows::UPDATES),
        ("RETURNS_NOTHING", hows::RETURNS_NOTHING),
        ("HAS_UPDATES", hows::HAS_UPDATES),
        ("BY_READ_ONLY_PATH", hows::BY_READ_ONLY_PATH),
        ("IN_SHARED", hows::IN_SHARED),
        ("VOLATILE", hows::VOLATILE),
        ("HAS_VOLATILE", hows::HAS_VOLATILE),
        ("HAS_VOLATILE_LOADS", hows::HAS_VOLATILE_LOADS),
        ("BYTES_PLACE", hows::BYTES_PLACE),
        ("ACCESS_SITE", lines::SITE),
        ("ACCESS_SHAPE", lines::SHAPE_PLACE),
        ("ACCESS_WRITES", lines::WRITES),
        ("ACCESS_BY_READ_ONLY_PATH", lines::BY_READ_ONLY_PATH),
        ("ACCESS_READ", lines::READ_PLACE),
        ("IN_A_WARP", entry_rules::IN_A_WARP),
        ("IN_A_BLOCK", entry_rules::IN_A_BLOCK),
        ("IN_A_GRID", entry_rules::IN_A_GRID),
        ("OF_SHARED", entry_rules::OF_SHARED),
        ("SAME_VALUE", entry_rules::SAME_VALUE),
        ("ONE_INSTRUCTION", entry_rules::ONE_INSTRUCTION),
        ("LANE_IS_HERE", entry_rules::LANE_IS_HERE),
        ("ORDERED_ANYWAY", entry_rules::ORDERED_ANYWAY),
        ("BY_ANOTHER", entry_rules::BY_ANOTHER),
        ("LINE_ENTRIES", LINE_ENTRIES as u32),
        ("PAGES_OF_CHUNK", PAGES_OF_CHUNK as u32),
        ("PAGE_BITS", PAGE_BITS),
        ("PAGE_WRITERS", PAGE_WRITERS as u32),
        ("PAGE_SITES", PAGE_SITES as u32),
        ("PAGE_LINES", PAGE_LINES as u32),
        ("PAGE_COUNT", PAGE_COUNT as u32),
        ("PAGE_BYTES", PAGE_BYTES as u32),
        ("BYTES_UPDATERS", BYTES_UPDATERS as u32),
        ("BYTES_RECORD", BYTES_RECORD as u32),
        ("GAP_NO_ROOM", entry_gaps::NO_ROOM),
        ("GAP_CONTENDED", entry_gaps::CONTENDED),
        ("GAP_EPOCHS", entry_gaps::EPOCHS),
        ("GAP_INTERVALS", entry_gaps::INTERVALS),
        ("GAP_UNKNOWN_MEMORY", entry_gaps::UNKNOWN_MEMORY),
        ("GAP_WITNESSES", entry_gaps::WITNESSES),
        ("GAP_COPIES", entry_gaps::COPIES),
        ("GAP_SOURCES", entry_gaps::SOURCES),
        ("GAP_OBSERVED", entry_gaps::OBSERVED),
        ("MOST_PENDING", MOST_PENDING),
        ("PENDING_BYTES", PENDING_BYTES),
        ("EPOCH_PLACE", EPOCH_PLACE),
        ("LAST_EPOCH", LAST_EPOCH),
        ("EPOCHS_AGAIN", EPOCHS_AGAIN),
        ("TILE_PLACE", TILE_PLACE),
        ("IN_SLOT", IN_SLOT),
        ("SLOT_ALIGNMENT", SLOT_ALIGNMENT as u32),
        ("BESIDE_WHOLE_PLACE", BESIDE_WHOLE_PLACE),
        ("REPORTED_LANE", LANE_SHIFT),
        ("REPORTED_WARP", WARP_SHIFT),
    ]
    .map(|(name, value)| (name, u64::from(value)));
    let head = fields!(EntriesHead {
        pages,
        bytes,
        reports,
        shadow,
        page_table,
        pages_taken,
        first_page,
        table_pages,
        page_capacity,
        bytes_capacity,
        bytes_taken,
        bytes_spare,
        gaps
    });
    [constants("u32", &words), structure("EntriesHead", size_of::<EntriesHead>(), &head)].join("\n")
}

fn sets() -> String {
    let words = [
        ("WRITES", WRITES),
        ("IN_SHARED", IN_SHARED),
        ("HAS_BLOCK", HAS_BLOCK),
        ("IS_SIGNED", IS_SIGNED),
        ("NO_PLACE", NO_PLACE),
        ("ENTRY_BYTES", ENTRY_BYTES as u32),
        ("ROW_BYTES", ROW_BYTES as u32),
        ("PARTITIONS", PARTITIONS as u32),
        ("KNOWN_BITS", KNOWN_BITS),
        ("BLOCK_BYTES", BLOCK_BYTES),
        ("NO_ROOM_FOR_THREADS", gaps::THREADS),
        ("NO_ROOM_FOR_BLOCKS", gaps::BLOCKS),
        ("NO_SLOT", gaps::SLOT),
        ("TOO_CROWDED", gaps::CROWDED),
    ]
    .map(|(name, value)| (name, u64::from(value)));
    let counters = fields!(Counters { entries, rows, nodes, unused });
    let head = fields!(Head {
        entries,
        rows,
        slots,
        owners,
        buckets,
        nodes,
        direct_entries,
        partition_entries,
        partition_rows,
        partition_nodes,
        slot_count,
        slot_entries,
        bucket_bits,
        gaps,
        reports,
        launch,
        options,
        warps_per_block,
        unused,
        write_end,
        write_start,
        used_places,
        some_meet,
        padding,
        counters,
        known,
    });
    let checker = fields!(CheckerParameters {
        sets, reports, warps, places, launch, options, warps_per_block, set_tag,
        written as "u64 written_0, written_1, written_2, written_3",
        seldom as "u64 seldom_0, seldom_1, seldom_2, seldom_3",
    });
    [
        constants("u32", &words),
        structure("Counters", size_of::<Counters>(), &counters),
        structure("Sets", size_of::<Head>(), &head),
        structure("Checked", size_of::<CheckerParameters>(), &checker),
    ]
    .join("\n")
}
