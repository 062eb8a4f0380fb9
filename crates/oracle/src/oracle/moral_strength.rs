//! Which operations are strong enough for each other.

use super::assumptions::Assumptions;
use super::operations::{Agent, Operation, ThreadNumber};
use super::trace::Trace;
use warpsan_model::Scope;

/// Whether the scopes of two threads' operations include each other's thread.
pub(super) fn mutual(
    trace: &Trace,
    assumptions: Assumptions,
    (one, one_scope): (ThreadNumber, Scope),
    (other, other_scope): (ThreadNumber, Scope),
) -> bool {
    let (here, there) = (trace.threads[one], trace.threads[other]);
    let includes = |scope: Scope| match scope {
        Scope::Cta => here.block == there.block,
        Scope::Cluster => here.cluster == there.cluster,
        Scope::Gpu | Scope::Sys => true,
    };
    one == other || assumptions.widened || includes(one_scope) && includes(other_scope)
}

/// Whether the scopes of two strong operations of threads are mutual.
pub(super) fn scopes_are_mutual(
    trace: &Trace,
    assumptions: Assumptions,
    one: &Operation,
    other: &Operation,
) -> bool {
    let (Agent::Thread(first), Agent::Thread(second)) = (one.agent, other.agent) else {
        return false;
    };
    let (Some(scope), Some(other_scope)) = (one.strength.scope(), other.strength.scope()) else {
        return false;
    };
    mutual(trace, assumptions, (first, scope), (second, other_scope))
}

/// Two memory operations are morally strong: one thread's, or both strong, with mutual scopes, and the
/// same bytes.
pub(super) fn morally_strong(
    trace: &Trace,
    assumptions: Assumptions,
    one: &Operation,
    other: &Operation,
) -> bool {
    one.agent == other.agent
        || one.same_place(other) && scopes_are_mutual(trace, assumptions, one, other)
}
