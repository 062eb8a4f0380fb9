//! Knowledge that many share: joined where it differs, and shared where it is the same.

use std::sync::Arc;

/// What can learn what another one of its kind knows.
pub(crate) trait Join: Clone {
    /// What the other knows is known from now on.
    fn join(&mut self, other: &Self);
}

/// Joins what may be shared by others.
pub(crate) fn join_shared<T: Join>(own: &mut Arc<T>, other: &Arc<T>) {
    if !Arc::ptr_eq(own, other) {
        Arc::make_mut(own).join(other);
    }
}

/// Joins `other` into what may not be there yet.
pub(crate) fn join_optional<T: Join>(own: &mut Option<Arc<T>>, other: &Arc<T>) {
    match own {
        Some(own) => join_shared(own, other),
        None => *own = Some(Arc::clone(other)),
    }
}
