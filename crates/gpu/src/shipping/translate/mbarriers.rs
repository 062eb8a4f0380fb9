//! `mbarrier` objects and their phases, and the memory that copies read and write.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Translator;
use super::copies::{Copies, Object, Side};
use warpsan_event::{Event, MbarrierAccess, MbarrierStep};
use warpsan_instrument::record::{Header, Place, Slot, UNKNOWN_PHASE, arrivals_of};
use warpsan_model::{BlockIndex, SiteId, Space, Strength, lanes};

/// What is known of the phases of an object.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Phases {
    /// Phases that are complete.
    pub(super) complete: u64,
    /// Arrivals that a phase waits for, and how many of them are missing in this one.
    expected: u32,
    missing: u32,
}

/// What a record says of the phase of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The number of complete phases is odd, or even.
    IsOdd(bool),
    /// Nothing: something arrives at an object of another block, or makes it expect more.
    Arrives,
    /// Nothing: a copy will signal it.
    WillBeSignalled,
}

impl Asked {
    /// What a slot says of a lane's object.
    pub(super) fn of(header: &Header, lane: u32, otherwise: Asked) -> Asked {
        match header.extra & UNKNOWN_PHASE {
            0 => Asked::IsOdd(header.wrote >> lane & 1 == 1),
            _ => otherwise,
        }
    }
}

impl Phases {
    fn next(&mut self) {
        self.complete += 1;
        self.missing = self.expected;
    }
}

impl Copies {
    /// How many phases of an object are complete. Between two steps of an object at most one phase ends: the next one
    /// needs an arrival. A phase to which all have come is over when somebody arrives again.
    pub(super) fn phase(&mut self, object: Object, asked: Asked) -> u64 {
        let phases = self.phases.entry(object).or_default();
        let is_over = match asked {
            Asked::IsOdd(is_odd) => (phases.complete & 1 == 1) != is_odd,
            Asked::Arrives => phases.expected > 0 && phases.missing == 0,
            Asked::WillBeSignalled => false,
        };
        if is_over {
            phases.next();
        }
        phases.complete
    }

    /// Notes what a step changes in what an object waits for.
    pub(super) fn count(&mut self, object: Object, step: MbarrierStep, arrivals: u32) {
        let phases = self.phases.entry(object).or_default();
        match step {
            MbarrierStep::Init => {
                *phases = Phases { complete: 0, expected: arrivals, missing: arrivals };
            }
            MbarrierStep::Arrive => phases.missing = phases.missing.saturating_sub(arrivals),
            MbarrierStep::ArriveDrop => {
                phases.missing = phases.missing.saturating_sub(arrivals);
                phases.expected = phases.expected.saturating_sub(arrivals);
            }
            _ => {}
        }
    }
}

impl Translator<'_> {
    pub(super) fn mbarrier(
        &mut self,
        operation: &Operation,
        mask: u32,
        step: MbarrierStep,
        strength: Strength,
    ) -> Result<(), ShippingError> {
        let place = self.place(operation)?;
        for lane in lanes(mask) {
            let object = self.object(operation, place, operation.lanes(), lane)?;
            let phase = match step {
                MbarrierStep::Init | MbarrierStep::Invalidate => {
                    self.copies.phases.remove(&object);
                    0
                }
                _ => {
                    let asked = Asked::of(operation.header(), lane, Asked::Arrives);
                    self.copies.phase(object, asked)
                }
            };
            self.copies.count(object, step, arrivals_of(operation.header().extra));
            if step == MbarrierStep::Wait {
                self.carry_out_for(object, phase);
            }
            self.synchronisation(Event::Mbarrier(MbarrierAccess {
                block: operation.block(),
                warp: u32::from(operation.header().warp),
                lane,
                site: SiteId(operation.header().site),
                step,
                strength,
                owner: BlockIndex(object.0),
                address: object.1,
                phase,
            }));
        }
        Ok(())
    }

    pub(super) fn object(
        &self,
        operation: &Operation,
        place: Place,
        words: &[u64; 32],
        lane: u32,
    ) -> Result<Object, ShippingError> {
        match self.shipped_place(operation, place, words[lane as usize])? {
            (Space::Shared, owner, address) => Ok((owner.0, address)),
            _ => Err(operation.is_bad(self.launch, "an object that is not in shared memory")),
        }
    }

    /// Both sides of copies, if all lanes are in the same memories.
    pub(super) fn sides(
        &self,
        operation: &Operation,
        mask: u32,
        to: Place,
        from: Option<(Place, &Slot)>,
    ) -> Result<Option<(Side, Option<Side>)>, ShippingError> {
        let Some(to) = self.side(operation, mask, to, operation.lanes())? else { return Ok(None) };
        let Some((place, part)) = from else { return Ok(Some((to, None))) };
        Ok(self.side(operation, mask, place, &part.lanes)?.map(|from| (to, Some(from))))
    }

    fn side(
        &self,
        operation: &Operation,
        mask: u32,
        place: Place,
        words: &[u64; 32],
    ) -> Result<Option<Side>, ShippingError> {
        let mut found: Option<Side> = None;
        for lane in lanes(mask) {
            let (space, owner, address) =
                self.shipped_place(operation, place, words[lane as usize])?;
            match &mut found {
                None => found = Some((space, owner, vec![address])),
                Some(side) if (side.0, side.1) == (space, owner) => side.2.push(address),
                Some(_) => return Ok(None),
            }
        }
        Ok(found)
    }
}
