//! What the instructions of all remembered launches do, as their accesses showed it.

use crate::hb::ids::SiteNumber;
use crate::hb::swap::Swap;
use warpsan_event::{Access, AccessKind};
use warpsan_model::Strength;

/// What an instruction does, as its accesses showed it.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct SiteInfo {
    pub(in crate::hb) strength: Strength,
    /// Bytes of one element; 0 if it has not accessed memory yet.
    pub(in crate::hb) bytes: u8,
    /// It is a plain store.
    pub(in crate::hb) stores: bool,
    /// What it does, if locks are taken with such an instruction.
    pub(in crate::hb) takes_locks: Option<Swap>,
}

impl SiteInfo {
    /// An instruction that has not accessed memory yet.
    const UNKNOWN: SiteInfo =
        SiteInfo { strength: Strength::Weak, bytes: 0, stores: false, takes_locks: None };
}

/// The instructions of all remembered launches, by number.
#[derive(Debug, Default)]
pub(in crate::hb) struct Sites(Vec<SiteInfo>);

impl Sites {
    /// What a site does.
    #[inline]
    pub(in crate::hb) fn info(&self, site: SiteNumber) -> &SiteInfo {
        self.0.get(site.index()).unwrap_or(&SiteInfo::UNKNOWN)
    }

    /// Whether a site has accessed memory.
    #[inline]
    pub(in crate::hb) fn is_known(&self, site: SiteNumber) -> bool {
        self.info(site).bytes != 0
    }

    /// The first access of a site.
    pub(in crate::hb) fn learn(
        &mut self,
        site: SiteNumber,
        access: &Access<'_>,
        takes_locks: Option<Swap>,
    ) {
        *self.entry(site) = SiteInfo {
            strength: access.strength,
            bytes: access.bytes,
            stores: access.kind == AccessKind::Write,
            takes_locks,
        };
    }

    /// A copy by `cp.async`, whose size is part of the instruction.
    pub(in crate::hb) fn learn_copy(&mut self, site: SiteNumber, bytes: u32) {
        self.entry(site).bytes = bytes as u8;
    }

    /// Numbers from this one on stand for other sites from now on.
    pub(super) fn forget_from(&mut self, first: SiteNumber) {
        self.0.truncate(first.index());
    }

    fn entry(&mut self, site: SiteNumber) -> &mut SiteInfo {
        let index = site.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, SiteInfo::UNKNOWN);
        }
        &mut self.0[index]
    }
}
