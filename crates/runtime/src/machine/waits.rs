//! What a call waits for, and what it asks about.

use super::error::CudaError;
use super::state::Machine;
use crate::{Session, Wait, WorkSet};

impl Machine {
    /// The call returns when this is done, and all that the program does then is after it.
    pub fn wait_for(&mut self, wait: Wait) -> Result<(), CudaError> {
        self.captures.check_wait(wait)?;
        let awaited = self.session()?.order().awaited(wait);
        self.waits.awaited.push(awaited);
        Ok(())
    }

    /// Whether something is done, which the program knows then.
    pub fn query(&mut self, wait: Wait) -> Result<(), CudaError> {
        self.captures.check_wait(wait)?;
        let session = self.session()?;
        let awaited = session.order().awaited(wait);
        if is_done(session, &awaited) {
            session.know(&awaited);
            return Ok(());
        }
        self.waits.asked = true;
        Err(CudaError::NOT_READY)
    }
}

pub(super) fn is_done(session: &mut Session, work: &WorkSet) -> bool {
    let order = session.order();
    work.iter().all(|work| order.is_done(*work))
}
