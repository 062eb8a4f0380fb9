//! Calls that put work into an order, or that wait for it.
//!
//! Only detectors on the host want to know of them: for others all of these names lead to the driver at once. What a call
//! means is reported after the driver has said that it worked. Calls whose effect nobody here can follow are reported, too: from
//! then on all launches are taken to be in order.

mod reporting;
mod streams;
mod transfers;
mod unfollowed;

use crate::wrapped::Wrapped;

/// All functions of the driver that lead to this folder.
pub(super) fn wrapped() -> impl Iterator<Item = &'static Wrapped> {
    [streams::WRAPPED, transfers::WRAPPED, unfollowed::WRAPPED].into_iter().flatten()
}

#[cfg(test)]
mod tests;
