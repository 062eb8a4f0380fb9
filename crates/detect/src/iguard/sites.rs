//! What the instructions of a kernel do.

use super::Iguard;
use warpsan_model::{SiteId, Strength};
use warpsan_report::AccessType;

/// What an instruction does, as its accesses showed it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteInfo {
    pub(super) access: AccessType,
    pub(super) strength: Strength,
    pub(super) bytes: u32,
    pub(super) role: Role,
}

/// What an instruction may do to a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    None,
    Takes,
    GivesBack,
}

impl Iguard {
    /// What is known of an instruction, which its first access tells.
    #[inline]
    pub(super) fn site_info(&mut self, site: SiteId, info: impl FnOnce() -> SiteInfo) -> SiteInfo {
        match self.sites.get(site.0 as usize) {
            Some(Some(known)) => *known,
            _ => self.learn_site(site, info()),
        }
    }

    #[cold]
    fn learn_site(&mut self, site: SiteId, mut info: SiteInfo) -> SiteInfo {
        if info.access == AccessType::Atomic {
            let instruction = &self.site_table.get(site).instruction;
            if instruction.contains(".cas") {
                info.role = Role::Takes;
            } else if instruction.contains(".exch") {
                info.role = Role::GivesBack;
            }
        }
        let number = site.0 as usize;
        if self.sites.len() <= number {
            self.sites.resize(number + 1, None);
        }
        self.sites[number] = Some(info);
        info
    }
}
