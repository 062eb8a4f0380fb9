//! Devices: choosing, asking, setting and resetting the one there is.

pub(crate) mod attributes;
pub(crate) mod bus;
pub(crate) mod entry_points;
pub(crate) mod limits;
mod peers;
mod properties;
mod settings;
mod v12;
mod v13;
