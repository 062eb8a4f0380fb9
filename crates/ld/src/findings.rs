//! From differences of values, and a log of accesses, to findings: each pair of instructions once.

use crate::log::Logged;
use crate::pieces::{Bytes, address, first};
use crate::union::{CopyId, Union};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use warpsan_detect::Side;
use warpsan_detect::ld::{Between, Extent, Pattern, Region, Symptom, ValueRace};
use warpsan_model::{BlockIndex, SiteId, Space, ThreadInBlock};
use warpsan_simt::Place;

/// Copies whose results differ in the second pass: how it showed, and in which bytes.
pub(crate) type Racy = BTreeMap<CopyId, (Symptom, Vec<(Place, Bytes)>)>;

/// What makes two findings the same to a reader.
pub(crate) type Key = (Pattern, Between, SiteId, SiteId);

/// What was found in a launch, each thing once, and how often.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) races: Vec<(ValueRace, u64)>,
    known: FxHashMap<Key, usize>,
    /// Values that differed, though nobody accessed what others changed.
    pub(crate) unexplained: u64,
    /// Warps that were part of a race, bytes, and regions.
    pub(crate) warps: FxHashSet<(u32, u32)>,
    pub(crate) bytes: FxHashMap<(u32, Place), Bytes>,
    pub(crate) regions: FxHashSet<(Between, Region)>,
}

impl Findings {
    pub(crate) fn is_empty(&self) -> bool {
        self.races.is_empty() && self.unexplained == 0
    }

    fn add(&mut self, race: ValueRace, times: u64) {
        let [one, other] = race.sides.map(|side| side.site);
        let key = (race.pattern, race.between, one, other);
        match self.known.get(&key) {
            Some(&at) => self.races[at].1 += times,
            None => {
                self.known.insert(key, self.races.len());
                self.races.push((race, times));
            }
        }
    }

    /// Takes what was found elsewhere, behind what is here.
    pub(crate) fn append(&mut self, other: Findings) {
        for (race, times) in other.races {
            self.add(race, times);
        }
        self.unexplained += other.unexplained;
        self.warps.extend(other.warps);
        for (place, bytes) in other.bytes {
            *self.bytes.entry(place).or_default() |= bytes;
        }
        self.regions.extend(other.regions);
    }

    /// Lanes of one instruction.
    pub(crate) fn lanes(&mut self, conflict: &warpsan_simt::LaneConflict) {
        let side = |lane: u32| Side {
            site: conflict.site,
            block: conflict.block,
            thread: ThreadInBlock(conflict.warp * warpsan_model::WARP_LANES + lane),
            access: warpsan_report::AccessType::Write,
            strength: warpsan_model::Strength::Weak,
            bytes: conflict.bytes as u32,
        };
        let race = ValueRace {
            pattern: Pattern::OneInstruction,
            between: Between::Lanes,
            symptom: Symptom::Memory,
            space: conflict.space,
            address: conflict.address,
            sides: conflict.lanes.map(side),
            region: Region::default(),
            extent: Extent::default(),
        };
        self.add(race, 1);
    }

    /// How many bytes were part of races.
    pub(crate) fn byte_count(&self) -> u64 {
        self.bytes.values().map(|bytes| u64::from(bytes.count_ones())).sum()
    }
}

/// One comparison of copies, and where it was made.
pub(crate) struct Comparison<'a> {
    pub(crate) between: Between,
    pub(crate) region: Region,
    pub(crate) union: &'a Union,
    /// The copy that a warp of a block had.
    pub(crate) copy_of: &'a dyn Fn(u32, u32) -> CopyId,
    /// Whose shared memory it was.
    pub(crate) block: u32,
}

impl Comparison<'_> {
    /// Bytes that several copies changed, to be logged.
    pub(crate) fn contested(&self) -> impl Iterator<Item = (Place, Bytes)> {
        self.union.contested().map(|piece| (piece.place, piece.contested))
    }

    /// Section 4.1: who wrote the bytes that several copies changed.
    pub(crate) fn write_write(&self, log: &BTreeMap<Place, Vec<Logged>>) -> Findings {
        let mut pairs = Pairs::new(Pattern::WriteWrite, Symptom::Memory);
        for piece in self.union.contested() {
            let Some(logged) = log.get(&piece.place) else { continue };
            let writes: Vec<&Logged> = logged.iter().filter(|one| one.writes()).collect();
            for (at, one) in writes.iter().enumerate() {
                for other in &writes[..at] {
                    if self.copy(one) != self.copy(other) {
                        pairs.pair(piece.place, other, one, piece.contested);
                    }
                }
            }
            pairs.note_bytes(piece.place, piece.contested);
        }
        let unexplained = u64::from(pairs.found.is_empty());
        Findings { unexplained, ..pairs.into_findings(self) }
    }

    /// Bytes to be logged for copies whose results differ: what others changed, and what differs.
    pub(crate) fn wanted_for(&self, racy: &Racy) -> Vec<(Place, Bytes)> {
        let mut wanted = Vec::new();
        for (&copy, (_, differing)) in racy {
            let others = self.union.changed_by_others(copy);
            wanted.extend(others.map(|(piece, bytes)| (piece.place, bytes)));
            wanted.extend(differing);
        }
        wanted
    }

    /// Section 4.2: who read what others changed, of copies whose results differ in the second pass. A byte can differ for another
    /// reason: the copy stored the value there that was there before the region, which the first pass cannot see. That
    /// is a write-write race.
    pub(crate) fn read_write(&self, log: &BTreeMap<Place, Vec<Logged>>, racy: &Racy) -> Findings {
        let mut found = Findings::default();
        for (&copy, (symptom, differing)) in racy {
            let mut pairs = Pairs::new(Pattern::ReadWrite, *symptom);
            for (piece, _) in self.union.changed_by_others(copy) {
                let Some(logged) = log.get(&piece.place) else { continue };
                let readers = logged.iter().filter(|one| self.copy(one) == copy && !one.writes());
                for reader in readers {
                    for writer in logged.iter().filter(|one| one.writes()) {
                        let of = self.copy(writer);
                        let changed = piece.writers.iter().find(|(id, _)| *id == of);
                        let changed = changed.map_or(0, |(_, bytes)| *bytes);
                        if of != copy {
                            pairs.pair(piece.place, writer, reader, changed);
                        }
                    }
                }
            }
            let mut of_writes = Pairs::new(Pattern::WriteWrite, Symptom::Memory);
            for &(place, bytes) in differing {
                let is_written = self.write_again(copy, (place, bytes), log, &mut of_writes);
                let of_byte = if is_written { &mut of_writes } else { &mut pairs };
                of_byte.note_bytes(place, bytes);
            }
            if pairs.found.is_empty() && of_writes.found.is_empty() {
                found.unexplained += 1;
                continue;
            }
            found.append(pairs.into_findings(self));
            found.append(of_writes.into_findings(self));
        }
        found
    }

    /// Who wrote bytes that a copy stored its old value to. Says whether somebody did.
    fn write_again(
        &self,
        copy: CopyId,
        (place, bytes): (Place, Bytes),
        log: &BTreeMap<Place, Vec<Logged>>,
        pairs: &mut Pairs,
    ) -> bool {
        let (Some(piece), Some(logged)) = (self.union.find(place), log.get(&place)) else {
            return false;
        };
        let before = pairs.occurrences();
        for own in logged.iter().filter(|one| one.writes() && self.copy(one) == copy) {
            for other in logged.iter().filter(|one| one.writes() && self.copy(one) != copy) {
                let of = self.copy(other);
                let changed = piece.writers.iter().find(|(id, _)| *id == of);
                pairs.pair(place, other, own, bytes & changed.map_or(0, |(_, changed)| *changed));
            }
        }
        pairs.occurrences() > before
    }

    fn copy(&self, logged: &Logged) -> CopyId {
        (self.copy_of)(logged.block, logged.warp)
    }
}

/// A pair of instructions that was found, its first occurrence, and how many there were.
struct Pair {
    place: Place,
    bytes: Bytes,
    sides: [Logged; 2],
    times: u64,
}

/// Pairs of one kind.
struct Pairs {
    pattern: Pattern,
    symptom: Symptom,
    found: Vec<Pair>,
    known: FxHashMap<(SiteId, SiteId), usize>,
    warps: FxHashSet<(u32, u32)>,
    bytes: Vec<(Place, Bytes)>,
}

impl Pairs {
    fn new(pattern: Pattern, symptom: Symptom) -> Pairs {
        Pairs {
            pattern,
            symptom,
            found: Vec::new(),
            known: FxHashMap::default(),
            warps: FxHashSet::default(),
            bytes: Vec::new(),
        }
    }

    fn occurrences(&self) -> u64 {
        self.found.iter().map(|pair| pair.times).sum()
    }

    fn note_bytes(&mut self, place: Place, bytes: Bytes) {
        self.bytes.push((place, bytes));
    }

    /// Two accesses by different copies, if they have bytes in common that matter.
    fn pair(&mut self, place: Place, one: &Logged, other: &Logged, bytes: Bytes) {
        let bytes = one.bytes & other.bytes & bytes;
        if bytes == 0 {
            return;
        }
        self.warps.extend([(one.block, one.warp), (other.block, other.warp)]);
        // Of two writes, none is the first: the lower instruction stands for both orders.
        let swap = other.writes() && other.site < one.site;
        let sides = if swap { [*other, *one] } else { [*one, *other] };
        let key = (sides[0].site, sides[1].site);
        match self.known.get(&key) {
            Some(&at) => self.found[at].times += 1,
            None => {
                self.known.insert(key, self.found.len());
                self.found.push(Pair { place, bytes, sides, times: 1 });
            }
        }
    }

    fn into_findings(self, comparison: &Comparison<'_>) -> Findings {
        let mut findings = Findings::default();
        let bytes = self.bytes.iter().map(|(_, bytes)| u64::from(bytes.count_ones())).sum();
        let extent = Extent { warps: self.warps.len() as u64, bytes };
        for Pair { place, bytes, sides, times } in self.found {
            let race = ValueRace {
                pattern: self.pattern,
                between: comparison.between,
                symptom: self.symptom,
                space: match place {
                    Place::Shared(_) => Space::Shared,
                    Place::Global(_) => Space::Global,
                },
                address: address(place, first(bytes)),
                sides: sides.map(|one| side(&one)),
                region: comparison.region,
                extent,
            };
            findings.add(race, times);
        }
        findings.warps = self.warps;
        for (place, bytes) in self.bytes {
            let owner = match place {
                Place::Shared(_) => comparison.block,
                Place::Global(_) => 0,
            };
            *findings.bytes.entry((owner, place)).or_default() |= bytes;
        }
        if !findings.races.is_empty() {
            findings.regions.insert((comparison.between, comparison.region));
        }
        findings
    }
}

fn side(logged: &Logged) -> Side {
    Side {
        site: logged.site,
        block: BlockIndex(logged.block),
        thread: ThreadInBlock(logged.thread),
        access: logged.access,
        strength: logged.strength,
        bytes: logged.element,
    }
}
