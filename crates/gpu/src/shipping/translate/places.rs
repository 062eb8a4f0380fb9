//! `mbarrier` objects, and where copies read and write.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Translator;
use super::copies::{Copies, Object, Side};
use warpsan_event::{Event, MbarrierAccess, MbarrierStep};
use warpsan_instrument::record::{Place, Slot};
use warpsan_model::{BlockIndex, SiteId, Space, Strength, lanes};

impl Copies {
    /// How many phases of an object are complete, given whether that is an odd number. Between two
    /// steps of an object at most one phase ends: the next one needs an arrival.
    pub(super) fn phase(&mut self, object: Object, is_odd: bool) -> u64 {
        let phase = self.phases.entry(object).or_insert(0);
        *phase += u64::from((*phase & 1 == 1) != is_odd);
        *phase
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
            let is_odd = operation.header().wrote >> lane & 1 == 1;
            let phase = match step {
                MbarrierStep::Init | MbarrierStep::Invalidate => {
                    self.copies.phases.remove(&object);
                    0
                }
                _ => self.copies.phase(object, is_odd),
            };
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
        match self.told_place(operation, place, words[lane as usize])? {
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
                self.told_place(operation, place, words[lane as usize])?;
            match &mut found {
                None => found = Some((space, owner, vec![address])),
                Some(side) if (side.0, side.1) == (space, owner) => side.2.push(address),
                Some(_) => return Ok(None),
            }
        }
        Ok(found)
    }
}
