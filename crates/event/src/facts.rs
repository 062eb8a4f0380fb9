use std::sync::Arc;
use warpsan_model::{SiteId, SourceFrame, SourcePosition};

/// Plain data about a kernel, known before it runs.
#[derive(Debug, Clone, Default)]
pub struct KernelFacts {
    /// The name in the module, mangled.
    pub name: String,
    /// The name as the programmer wrote it.
    pub display_name: String,
    /// The variables that the kernel keeps in shared memory.
    pub shared_variables: Vec<SharedVariable>,
    /// Whether the module carries line information for the kernel.
    pub has_line_information: bool,
    /// Whether the kernel has atomic or otherwise strong accesses.
    pub uses_strong_accesses: bool,
    /// Whether the kernel has fences.
    pub uses_fences: bool,
}

/// A variable in shared memory and where the engine put it.
#[derive(Debug, Clone)]
pub struct SharedVariable {
    /// The name as the programmer wrote it.
    pub name: String,
    /// The first byte, from the start of the block's shared memory.
    pub offset: u64,
    /// Its size; 0 for the dynamic part, whose size the launch gives.
    pub bytes: u64,
}

/// What every [`SiteId`] of a kernel stands for.
#[derive(Debug, Clone, Default)]
pub struct SiteTable {
    /// Indexed by the site's number.
    pub sites: Vec<Site>,
}

/// One instruction that events can name.
#[derive(Debug, Clone)]
pub struct Site {
    /// The instruction as it stands in the PTX text.
    pub instruction: Arc<str>,
    /// Its line in the PTX text.
    pub ptx_line: u32,
    /// Where it comes from, innermost function first.
    pub frames: Vec<SourceFrame>,
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

impl Site {
    /// The place a reader should look at: the innermost one that is not inside the headers of the
    /// CUDA toolkit, where `atomicAdd` and its kin are only wrappers.
    pub fn position(&self) -> Option<&SourcePosition> {
        let known = || self.frames.iter().filter_map(|frame| frame.position.as_ref());
        known().find(|position| !is_toolkit_header(&position.file)).or_else(|| known().next())
    }
}

fn is_toolkit_header(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let in_header_folder = ["/include/crt/", "/include/cooperative_groups/", "/include/cccl/"]
        .iter()
        .any(|folder| file.contains(folder));
    let wrapper =
        (name.starts_with("sm_") || name.starts_with("device_") || name.starts_with("cuda_"))
            && (name.ends_with(".hpp") || name.ends_with(".h"))
            && file.contains("/include/");
    in_header_folder || wrapper
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32) -> SourceFrame {
        let position = SourcePosition { file: file.into(), line, column: 3 };
        SourceFrame { function: "f".into(), position: Some(position) }
    }

    fn site(frames: Vec<SourceFrame>) -> Site {
        Site { instruction: "ld".into(), ptx_line: 1, frames }
    }

    #[test]
    fn wrappers_of_the_toolkit_are_looked_through() {
        let site = site(vec![
            frame("/usr/local/cuda/include/device_atomic_functions.hpp", 112),
            frame("histogram.cu", 13),
        ]);
        assert_eq!(site.position().unwrap().line, 13);
    }

    #[test]
    fn a_site_that_is_only_in_a_header_still_has_a_position() {
        let site = site(vec![frame("/usr/local/cuda/include/sm_20_intrinsics.hpp", 7)]);
        assert_eq!(site.position().unwrap().line, 7);
        assert!(Site { frames: vec![], ..site }.position().is_none());
    }

    #[test]
    fn a_users_own_header_is_not_a_wrapper() {
        let site = site(vec![frame("src/device_tools.h", 4), frame("main.cu", 9)]);
        assert_eq!(site.position().unwrap().line, 4);
    }
}
