//! The instructions that events name.

use crate::operation::Operation;
use std::sync::Arc;
use warpsan_model::{SiteId, SourceFrame, SourcePosition, position_for_reader};

/// What every [`SiteId`] of a kernel stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteTable {
    /// Indexed by the site's number.
    pub sites: Vec<Site>,
}

impl SiteTable {
    /// The site with this number.
    ///
    /// # Panics
    /// When the engine made up a site: that is a bug of the engine.
    pub fn get(&self, site: SiteId) -> &Site {
        &self.sites[site.0 as usize]
    }
}

/// One instruction that events can name, or what stands in its place.
///
/// Invariant: origin and operation are those of the text and the line, which is all that a trace file keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The instruction as it stands in the PTX text, or the name of the call.
    pub instruction: Arc<str>,
    /// Its line in the PTX text; 0 if it is not of a kernel.
    pub ptx_line: u32,
    /// Where it comes from, innermost function first.
    pub frames: Vec<SourceFrame>,
    origin: SiteOrigin,
    operation: Operation,
}

/// Who executes a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteOrigin {
    /// The threads of a kernel.
    Kernel,
    /// A call of the API, such as a copy or a fill.
    ApiCall,
    /// The host itself, in memory that it shares with the device.
    Host,
}

impl Site {
    /// The text that stands for an instruction of the host.
    const HOST: &str = "host";

    /// An instruction of a kernel; or, with line 0, what a call of the API or the host does.
    pub fn new(instruction: impl Into<Arc<str>>, ptx_line: u32, frames: Vec<SourceFrame>) -> Site {
        let instruction = instruction.into();
        let origin = match (ptx_line, &*instruction) {
            (0, Self::HOST) => SiteOrigin::Host,
            (0, _) => SiteOrigin::ApiCall,
            _ => SiteOrigin::Kernel,
        };
        let operation = Operation::of_instruction(&instruction);
        Site { instruction, ptx_line, frames, origin, operation }
    }

    /// A call of the API that accesses memory.
    pub fn of_api_call(name: &str, frames: Vec<SourceFrame>) -> Site {
        debug_assert_ne!(name, Self::HOST, "accesses of the host are no calls");
        Site::new(name, 0, frames)
    }

    /// An access of the host itself.
    pub fn of_host(frames: Vec<SourceFrame>) -> Site {
        Site::new(Self::HOST, 0, frames)
    }

    /// Who executes it.
    pub fn origin(&self) -> SiteOrigin {
        self.origin
    }

    /// What it does.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Whether it stands for what the host did itself.
    pub fn is_host(&self) -> bool {
        self.origin == SiteOrigin::Host
    }

    /// The place a reader should look at.
    pub fn position(&self) -> Option<&SourcePosition> {
        position_for_reader(&self.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OperationKind;

    #[test]
    fn the_line_and_the_text_say_whose_a_site_is() {
        let load = Site::new("ld.global.u32 %r1, [%rd1];", 3, Vec::new());
        assert_eq!(
            (load.origin(), load.operation().kind),
            (SiteOrigin::Kernel, OperationKind::Load)
        );
        let copy = Site::of_api_call("cudaMemcpy", Vec::new());
        assert_eq!((copy.origin(), copy.is_host()), (SiteOrigin::ApiCall, false));
        let host = Site::of_host(Vec::new());
        assert_eq!((host.origin(), host.is_host()), (SiteOrigin::Host, true));
        assert_eq!(host, Site::new("host", 0, Vec::new()), "as a trace file has it");
        assert_eq!(Site::new("host", 1, Vec::new()).origin(), SiteOrigin::Kernel);
    }
}
