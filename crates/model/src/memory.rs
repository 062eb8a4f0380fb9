use serde::{Deserialize, Serialize};
use std::fmt;

/// An address as a kernel sees it. Device memory of the CPU engine sits at fixed addresses, so the
/// same program gives the same numbers in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeviceAddress(pub u64);

impl fmt::Display for DeviceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The state spaces of PTX in which an access can end up after a generic address is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Memory of the device, seen by all its threads.
    Global,
    /// Memory of one block.
    Shared,
    /// Memory of one thread.
    Local,
    /// Read-only memory of the module.
    Const,
    /// Kernel and call parameters.
    Param,
}

/// The set of threads that an operation's strength reaches. Ordered by inclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The threads of one block.
    Cta,
    /// The threads of one cluster of blocks.
    Cluster,
    /// The threads of one device.
    Gpu,
    /// All threads of all devices and the host.
    Sys,
}

impl Scope {
    /// The scope that a modifier of PTX names.
    pub fn from_ptx(modifier: &str) -> Option<Scope> {
        Some(match modifier {
            "cta" => Scope::Cta,
            "cluster" => Scope::Cluster,
            // `membar.gl` is the older name.
            "gpu" | "gl" => Scope::Gpu,
            "sys" => Scope::Sys,
            _ => return None,
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Cta => "block",
            Scope::Cluster => "cluster",
            Scope::Gpu => "device",
            Scope::Sys => "system",
        })
    }
}

/// The memory order of a strong operation or a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// No order beyond the location itself.
    Relaxed,
    /// What follows is after what was observed.
    Acquire,
    /// What precedes is before whoever observes it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and one total order with other such fences.
    SeqCst,
}

impl Order {
    /// The order that a modifier of PTX names.
    pub fn from_ptx(modifier: &str) -> Option<Order> {
        Some(match modifier {
            "relaxed" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "sc" => Order::SeqCst,
            _ => return None,
        })
    }

    /// Whether it acts as an acquire.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether it acts as a release.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// How strong a memory operation is, in the words of the PTX memory model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// A plain access: it races with every unordered conflicting one.
    Weak,
    /// `volatile`: strong in PTX (relaxed at system scope), a plain access in CUDA C++.
    Volatile,
    /// An atomic or ordered access.
    Strong {
        /// Its memory order.
        order: Order,
        /// Whom it reaches.
        scope: Scope,
    },
}

impl Strength {
    /// The scope, where the operation is strong.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Strength::Weak => None,
            Strength::Volatile => Some(Scope::Sys),
            Strength::Strong { scope, .. } => Some(scope),
        }
    }

    /// The order, where the operation is strong.
    pub fn order(self) -> Option<Order> {
        match self {
            Strength::Weak => None,
            Strength::Volatile => Some(Order::Relaxed),
            Strength::Strong { order, .. } => Some(order),
        }
    }
}
