//! Graphs: making and changing them, and launching them.

mod edges;
pub(crate) mod entry_points;
mod launch;
mod node_parameters;
mod node_work;
pub(crate) mod nodes;
