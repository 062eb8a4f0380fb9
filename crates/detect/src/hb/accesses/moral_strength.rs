//! Moral strength: when two strong accesses do not race, though nothing orders them.

use crate::hb::history::SiteInfo;
use crate::hb::ids::BlockNumber;
use crate::hb::order::Threads;
use crate::hb::rules::{Rule, Rules};
use crate::hb::strong_access::StrongAccess;
use warpsan_model::{Scope, Strength};

/// Which conditions of moral strength count.
pub(super) struct MoralStrength<'a> {
    pub(super) rules: &'a Rules,
}

impl MoralStrength<'_> {
    /// Whether two strong accesses do not race, though nothing orders them.
    pub(super) fn allow(
        &self,
        threads: &Threads,
        same_range: bool,
        old: (&SiteInfo, BlockNumber),
        new: (&SiteInfo, BlockNumber),
    ) -> bool {
        let scope = |info: &SiteInfo| info.strength.scope().unwrap_or(Scope::Sys);
        let mutual = threads.mutual((scope(old.0), old.1), (scope(new.0), new.1));
        let volatile = old.0.strength == Strength::Volatile || new.0.strength == Strength::Volatile;
        // A condition that does not count is as good as met.
        let met = |condition: bool, rule: Rule| {
            if !condition {
                self.rules.count(rule);
            }
            condition || !self.rules.applies(rule)
        };
        self.rules.count(Rule::MorallyStrong);
        let range = met(same_range, Rule::SameRange);
        let scopes = met(mutual, Rule::ScopesAreMutual);
        let both = met(!volatile, Rule::Volatile);
        self.rules.applies(Rule::MorallyStrong) && range && scopes && both
    }
}

/// Strong for everybody, also in the eyes of CUDA C++. Shared memory is mostly used by its own block,
/// which any scope reaches; the exceptions make the location a mixed one. So does the host, which device scope does
/// not reach.
pub(super) fn is_plain(threads: &Threads, strength: Strength, access: &StrongAccess) -> bool {
    if threads.is_of_host(access.id.block) {
        return false;
    }
    match (strength, access.location.owner) {
        (Strength::Strong { .. }, Some(owner)) => owner == access.id.block,
        (Strength::Strong { scope: Scope::Gpu | Scope::Sys, .. }, None) => true,
        _ => false,
    }
}
