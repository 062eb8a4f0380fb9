//! What instructions are, learned from what they did.

use std::collections::BTreeMap;

use warpsan_instrument::record::{AccessInfo, Place, SiteInfo};
use warpsan_model::SiteId;

use super::NotEncoded;

/// The sites of a kernel, and some that only records have.
#[derive(Debug)]
pub(super) struct Sites {
    infos: Vec<SiteInfo>,
    /// Those that were learned.
    known: Vec<bool>,
    /// Sites of what the engine emits without one.
    extra: BTreeMap<&'static str, SiteId>,
}

impl Sites {
    pub(super) fn new(count: usize) -> Sites {
        Sites {
            infos: vec![SiteInfo::Plain; count],
            known: vec![false; count],
            extra: BTreeMap::new(),
        }
    }

    /// What a site is: it must be the same each time.
    pub(super) fn learn(&mut self, site: SiteId, info: SiteInfo) -> Result<(), NotEncoded> {
        let at = site.0 as usize;
        if at >= self.infos.len() {
            return Err(NotEncoded::new(format!("there is no site {at}")));
        }
        if !self.known[at] {
            self.known[at] = true;
            self.infos[at] = info;
        } else if self.infos[at] != info {
            let was = self.infos[at];
            return Err(NotEncoded::new(format!("site {at} was {was:?} and is {info:?}")));
        }
        Ok(())
    }

    /// What a site is known to be.
    pub(super) fn info(&self, site: SiteId) -> Option<SiteInfo> {
        let at = site.0 as usize;
        self.known.get(at).is_some_and(|known| *known).then(|| self.infos[at])
    }

    /// A site of its own for something.
    pub(super) fn made_up(&mut self, what: &'static str, info: SiteInfo) -> SiteId {
        *self.extra.entry(what).or_insert_with(|| {
            self.infos.push(info);
            self.known.push(true);
            SiteId(self.infos.len() as u32 - 1)
        })
    }

    pub(super) fn into_infos(self) -> Vec<SiteInfo> {
        self.infos
    }
}

/// Sites whose instructions say something else than what was learned from what they did. Where an access with
/// generic addresses went is not in the instruction, and an address of the cluster may lead to the block itself.
pub fn wrong_sites(kernel: &warpsan_ir::Kernel, learned: &[SiteInfo]) -> Vec<String> {
    let anywhere = |info: SiteInfo| match info {
        SiteInfo::Access(access) => SiteInfo::Access(AccessInfo { place: Place::OfSite, ..access }),
        other => other,
    };
    let mut wrong = Vec::new();
    for instruction in &kernel.code {
        let Some(learned) = learned.get(instruction.site.0 as usize) else { continue };
        if *learned == SiteInfo::Plain {
            continue;
        }
        let said = SiteInfo::of(&instruction.op);
        if said.map(anywhere) != Ok(anywhere(*learned)) {
            let text = &kernel.sites[instruction.site.0 as usize].instruction;
            wrong.push(format!("`{text}` says {said:?} and did {learned:?}"));
        }
    }
    wrong
}
