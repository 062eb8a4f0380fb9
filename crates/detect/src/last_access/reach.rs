use warpsan_model::Scope;

/// How far an atomic or a fence reaches, to detectors that know two scopes. The system is taken for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The threads of the block.
    Block,
    /// All threads of the device.
    Device,
}

impl Reach {
    /// What a scope of PTX is to a detector that takes a cluster for this.
    pub fn of(scope: Scope, cluster: Reach) -> Reach {
        match scope {
            Scope::Cta => Reach::Block,
            Scope::Cluster => cluster,
            Scope::Gpu | Scope::Sys => Reach::Device,
        }
    }
}
