use warpsan_model::{Order, Scope, Strength};

/// A plain access.
pub const WEAK: Strength = Strength::Weak;
/// A volatile access.
pub const VOLATILE: Strength = Strength::Volatile;
/// Relaxed at device scope.
pub const RELAXED: Strength = strong(Order::Relaxed, Scope::Gpu);
/// An acquire at device scope.
pub const ACQUIRE: Strength = strong(Order::Acquire, Scope::Gpu);
/// A release at device scope.
pub const RELEASE: Strength = strong(Order::Release, Scope::Gpu);
/// Both an acquire and a release at device scope.
pub const ACQ_REL: Strength = strong(Order::AcqRel, Scope::Gpu);

/// A strong access.
pub const fn strong(order: Order, scope: Scope) -> Strength {
    Strength::Strong { order, scope }
}
