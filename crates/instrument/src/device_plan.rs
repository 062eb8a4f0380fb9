//! What an instrumented kernel does on the device, for a detector or for a measurement.
//!
//! A [`DevicePlan`] has one of five shapes: the device keeps metadata and checks each access (iGUARD), it keeps entries of lines and does the same (hb), it keeps sets
//! and compares them (CURD), it runs kernels on private copies (LD), or it ships a record of every operation to the host, where a detector checks. Two more plans only
//! measure. `runtime` makes a plan of what a detector requests; everything else follows from it: the templates that are
//! expanded (`checks.rs`), the memory of a device, the queues.

use crate::happens_before::layout::ENTRIES_OF_CHUNK;
use crate::shape::Shape;

/// What an instrumented kernel does on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DevicePlan {
    /// It keeps iGUARD's metadata of global memory, and checks every access with it.
    Metadata(MetadataPlan),
    /// It keeps hb's entries of lines of memory, and checks every access with them. Those of shared memory are behind it.
    HappensBefore,
    /// The same where these would not fit: each block that is resident has them in a slot of global memory.
    HappensBeforeInSlots,
    /// It keeps CURD's sets of what threads and blocks accessed.
    Sets(SetScheme),
    /// It runs on private copies of what it writes (LD).
    Copies(CopiesPlan),
    /// It ships a record of every operation to the host, and keeps nothing.
    Ship(Shipping),
    /// It checks nothing. For measurements.
    Measure(Measure),
}

/// iGUARD's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MetadataPlan {
    /// What an entry holds.
    pub entries: Entries,
    /// Operations of the device are made one after the other, and each is shipped to the host, so that a detector there sees
    /// the same accesses in the same order.
    pub is_ordered: bool,
}

/// The entries of the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entries {
    /// Four bytes share an entry, which remembers the last accessor: the default shape. A compare-and-swap exchanges an entry.
    Usual,
    /// Of any shape, with a lock for each; far slower.
    General(Shape),
}

/// When CURD's sets of different blocks are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetScheme {
    /// When the grid has ended.
    Lazy,
    /// As soon as an entry is there.
    Eager,
}

/// Kernels on private copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CopiesPlan {
    /// What copies are for.
    pub mode: CopiesMode,
    /// Which of a kernel's variants.
    pub part: CopiesPart,
}

/// What private copies are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopiesMode {
    /// They are compared, to find races.
    Detect,
    /// They are merged: whoever comes last stays, so that no thread sees what others write in between.
    RaceFree,
    /// The same in the order of warps and blocks, so that runs agree.
    Deterministic,
}

/// A variant of a kernel on private copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopiesPart {
    /// One pass over the whole kernel, on copies of global memory.
    Pass,
    /// Both passes of each region from barrier to barrier, on copies of shared and global memory.
    Regions,
    /// A run without copies that notes who accessed what was raced for.
    Log,
}

impl CopiesPlan {
    /// Copies for this, one pass over the whole kernel.
    pub const fn new(mode: CopiesMode) -> CopiesPlan {
        CopiesPlan { mode, part: CopiesPart::Pass }
    }

    /// Another variant of the same kernel.
    #[must_use]
    pub const fn with(self, part: CopiesPart) -> DevicePlan {
        DevicePlan::Copies(CopiesPlan { part, ..self })
    }
}

/// Which operations are shipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shipping {
    /// All.
    Everything,
    /// All but loads of what the thread has accessed in the same basic block already.
    Once,
}

/// What a measurement leaves of iGUARD's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Metadata is looked up and not used: what instrumentation itself costs.
    Lookup,
    /// Metadata is read and written: what its traffic costs.
    Traffic,
}

impl MetadataPlan {
    /// The default shape, without an order.
    pub const USUAL: MetadataPlan = MetadataPlan { entries: Entries::Usual, is_ordered: false };

    /// Entries of this shape, without an order: the quick ones if they have it.
    pub fn of(shape: Shape) -> MetadataPlan {
        let entries = match shape == Shape::default() {
            true => Entries::Usual,
            false => Entries::General(shape),
        };
        MetadataPlan { entries, is_ordered: false }
    }

    /// Entries with locks, also for the default shape.
    pub const fn general(shape: Shape) -> MetadataPlan {
        MetadataPlan { entries: Entries::General(shape), is_ordered: false }
    }

    /// The same, with operations one after the other, each shipped.
    pub const fn ordered(self) -> MetadataPlan {
        MetadataPlan { is_ordered: true, ..self }
    }
}

impl DevicePlan {
    /// The name, in the keys of caches.
    pub fn name(self) -> &'static str {
        match self {
            DevicePlan::Metadata(MetadataPlan { entries, is_ordered }) => {
                match (entries, is_ordered) {
                    (Entries::Usual, false) => "iguard",
                    (Entries::General(_), false) => "general",
                    (Entries::Usual, true) => "ordered",
                    (Entries::General(_), true) => "ordered-general",
                }
            }
            DevicePlan::HappensBefore => "hb",
            DevicePlan::HappensBeforeInSlots => "hb-slots",
            DevicePlan::Sets(SetScheme::Lazy) => "curd",
            DevicePlan::Sets(SetScheme::Eager) => "eager-curd",
            DevicePlan::Copies(CopiesPlan { part: CopiesPart::Pass, .. }) => "ld",
            DevicePlan::Copies(CopiesPlan { part: CopiesPart::Regions, .. }) => "ld-regions",
            DevicePlan::Copies(CopiesPlan { part: CopiesPart::Log, .. }) => "ld-log",
            DevicePlan::Ship(Shipping::Everything) => "ship",
            DevicePlan::Ship(Shipping::Once) => "ship-once",
            DevicePlan::Measure(Measure::Lookup) => "lookup",
            DevicePlan::Measure(Measure::Traffic) => "traffic",
        }
    }

    /// The metadata that is kept and checked on the device, if any is.
    pub fn metadata(self) -> Option<MetadataPlan> {
        match self {
            DevicePlan::Metadata(metadata) => Some(metadata),
            DevicePlan::HappensBefore
            | DevicePlan::HappensBeforeInSlots
            | DevicePlan::Sets(_)
            | DevicePlan::Copies(_)
            | DevicePlan::Ship(_)
            | DevicePlan::Measure(_) => None,
        }
    }

    /// Whether iGUARD's metadata is kept and checked on the device.
    pub fn has_metadata(self) -> bool {
        self.metadata().is_some()
    }

    /// Whether kernels look metadata up: to check it, or to measure.
    pub fn looks_up_metadata(self) -> bool {
        match self {
            DevicePlan::Metadata(_) | DevicePlan::Measure(_) => true,
            DevicePlan::HappensBefore | DevicePlan::HappensBeforeInSlots => true,
            DevicePlan::Sets(_) | DevicePlan::Copies(_) | DevicePlan::Ship(_) => false,
        }
    }

    /// Whether hb's entries are kept on the device.
    pub fn has_entries(self) -> bool {
        matches!(self, DevicePlan::HappensBefore | DevicePlan::HappensBeforeInSlots)
    }

    /// Whether entries of shared memory are in slots of global memory.
    pub fn has_slots(self) -> bool {
        self == DevicePlan::HappensBeforeInSlots
    }

    /// The plan for kernels whose shared memory does not fit with its entries.
    pub fn with_slots(self) -> Option<DevicePlan> {
        (self == DevicePlan::HappensBefore).then_some(DevicePlan::HappensBeforeInSlots)
    }

    /// Whether threads have sets on the device.
    pub fn has_sets(self) -> bool {
        matches!(self, DevicePlan::Sets(_))
    }

    /// Kernels on private copies, if they are.
    pub fn copies(self) -> Option<CopiesPlan> {
        match self {
            DevicePlan::Copies(copies) => Some(copies),
            _ => None,
        }
    }

    /// Whether the metadata's entries may be of any shape.
    pub fn is_general(self) -> bool {
        self.metadata().is_some_and(|metadata| matches!(metadata.entries, Entries::General(_)))
    }

    /// Whether operations are checked on the device and shipped, one after the other.
    pub fn is_ordered(self) -> bool {
        self.metadata().is_some_and(|metadata| metadata.is_ordered)
    }

    /// Whether operations are shipped to the host.
    pub fn ships(self) -> bool {
        self.only_ships() || self.is_ordered()
    }

    /// Whether operations are shipped, and nothing is kept on the device.
    pub fn only_ships(self) -> bool {
        matches!(self, DevicePlan::Ship(_))
    }

    /// Whether checks are functions that kernels are linked with, in place of text in each kernel's module. Not where operations are shipped: a warp calls
    /// these everywhere, and behind calls of functions that `ptxas` does not see, lanes may go on apart. It has code for that behind each vote, which does not keep the
    /// last predicate, so that a radix sort came out wrong.
    pub fn is_linked(self) -> bool {
        self.has_entries()
    }

    /// The plan for kernels that this one is not for. CURD's sets know barriers only; other kernels are shipped, and
    /// CURD on the host mostly gives them to Barracuda, as its thesis has it. hb's entries are for kernels whose blocks
    /// never meet; others are shipped to hb on the host.
    pub fn fallback(self) -> Option<DevicePlan> {
        match self {
            DevicePlan::Sets(_) => Some(DevicePlan::Ship(Shipping::Once)),
            plan if plan.has_entries() => Some(DevicePlan::Ship(Shipping::Everything)),
            _ => None,
        }
    }

    /// Whether operations of some kernels may be shipped: by the plan or its fallback.
    pub fn may_ship(self) -> bool {
        self.ships() || self.fallback().is_some_and(DevicePlan::ships)
    }

    /// The shape of the metadata's entries.
    pub fn shape(self) -> Shape {
        match self {
            DevicePlan::Metadata(MetadataPlan { entries: Entries::General(shape), .. }) => shape,
            _ => Shape::default(),
        }
    }

    /// Bytes of metadata for 2 MiB of addresses.
    pub fn metadata_of_chunk(self) -> u64 {
        match self {
            DevicePlan::Metadata(MetadataPlan { entries: Entries::General(shape), .. }) => {
                shape.locked_metadata_of_chunk()
            }
            plan if plan.has_entries() => ENTRIES_OF_CHUNK,
            _ => Shape::USUAL_METADATA_OF_CHUNK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_usual_shape_has_the_quick_entries() {
        assert_eq!(MetadataPlan::of(Shape::new(4, 1)), MetadataPlan::USUAL);
        for shape in [Shape::new(1, 1), Shape::new(4, 2), Shape::new(16, 8)] {
            let plan = MetadataPlan::of(shape);
            assert_eq!(plan.entries, Entries::General(shape));
            let general = DevicePlan::Metadata(plan);
            let ordered = DevicePlan::Metadata(plan.ordered());
            assert_eq!((general.name(), ordered.name()), ("general", "ordered-general"));
            assert_eq!((general.is_ordered(), ordered.is_ordered()), (false, true));
            assert_eq!((general.shape(), ordered.shape()), (shape, shape));
        }
    }

    #[test]
    fn metadata_has_room_for_its_entries() {
        assert_eq!(DevicePlan::Metadata(MetadataPlan::USUAL).metadata_of_chunk(), 11 << 20);
        let general = MetadataPlan::of(Shape::new(16, 1)).ordered();
        assert_eq!(DevicePlan::Metadata(general).metadata_of_chunk(), 3 << 20);
    }

    #[test]
    fn kernels_that_sets_are_not_for_are_shipped() {
        for scheme in [SetScheme::Lazy, SetScheme::Eager] {
            let plan = DevicePlan::Sets(scheme);
            assert!(plan.may_ship() && !plan.ships() && !plan.looks_up_metadata());
            assert_eq!(plan.fallback(), Some(DevicePlan::Ship(Shipping::Once)));
        }
        let metadata = DevicePlan::Metadata(MetadataPlan::USUAL);
        assert!(!metadata.may_ship() && metadata.fallback().is_none());
        let ordered = DevicePlan::Metadata(MetadataPlan::USUAL.ordered());
        assert!(ordered.ships() && !ordered.only_ships());
    }
}
