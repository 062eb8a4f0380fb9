//! What the instructions of a kernel do.

use warpsan_event::{AtomicKind, OperationKind, SiteTable};
use warpsan_model::{SiteId, Strength};
use warpsan_report::AccessType;

/// What an instruction does, as its accesses showed it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteInfo {
    pub(crate) access: AccessType,
    pub(crate) strength: Strength,
    pub(crate) bytes: u32,
    pub(crate) role: Role,
}

/// What an instruction may do to a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    Takes,
    GivesBack,
}

/// The instructions that have been seen in a launch.
#[derive(Debug, Default)]
pub(crate) struct Sites(Vec<Option<SiteInfo>>);

impl Sites {
    /// What is known of an instruction, which its first access shows.
    #[inline]
    pub(crate) fn info(
        &mut self,
        site: SiteId,
        table: &SiteTable,
        info: impl FnOnce() -> SiteInfo,
    ) -> SiteInfo {
        match self.0.get(site.0 as usize) {
            Some(Some(known)) => *known,
            _ => self.learn(site, table, info()),
        }
    }

    /// What is known of an instruction, if it has been seen.
    pub(crate) fn known(&self, site: SiteId) -> Option<SiteInfo> {
        self.0.get(site.0 as usize).copied().flatten()
    }

    #[cold]
    fn learn(&mut self, site: SiteId, table: &SiteTable, mut info: SiteInfo) -> SiteInfo {
        if info.access == AccessType::Atomic {
            info.role = match table.get(site).operation().kind {
                OperationKind::Atomic(AtomicKind::CompareAndSwap) => Role::Takes,
                OperationKind::Atomic(AtomicKind::Exchange) => Role::GivesBack,
                _ => info.role,
            };
        }
        let number = site.0 as usize;
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = Some(info);
        info
    }

    /// A launch begins.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
