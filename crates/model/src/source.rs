use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// One instruction of a kernel, as the events name it. The kernel's site table says what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteId(pub u32);

/// A place in a source file. Lines and columns count from 1; a column of 0 is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePosition {
    /// The file as the compiler recorded it.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// One level of the chain from an instruction out to the kernel: the innermost function comes
/// first, then where it was called or inlined, and so on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceFrame {
    /// The function that the position lies in, demangled where possible.
    pub function: Arc<str>,
    /// The position in it, where line information is there.
    pub position: Option<SourcePosition>,
}

/// The place a reader should look at: the innermost one that is not inside the headers of the CUDA
/// toolkit, where `atomicAdd` and its kin are only wrappers.
pub fn position_for_reader(frames: &[SourceFrame]) -> Option<&SourcePosition> {
    let known = || frames.iter().filter_map(|frame| frame.position.as_ref());
    known().find(|position| !is_toolkit_header(&position.file)).or_else(|| known().next())
}

/// Whether a file is one of the toolkit's own headers. Nothing in the line table says so, but they
/// lie in a folder `include` and have names that NVIDIA reserves for itself by habit.
pub fn is_toolkit_header(file: &str) -> bool {
    const FOLDERS: [&str; 5] = ["crt/", "cooperative_groups/", "cccl/", "cuda/", "nv/"];
    const PREFIXES: [&str; 12] = [
        "sm_",
        "device_",
        "cuda_",
        "texture_",
        "surface_",
        "vector_",
        "math_",
        "common_",
        "driver_",
        "host_",
        "builtin_",
        "cooperative_groups",
    ];
    let Some((_, below)) = file.rsplit_once("/include/") else { return false };
    let starts_with_any = |starts: &[&str]| starts.iter().any(|start| below.starts_with(start));
    starts_with_any(&FOLDERS) || (!below.contains('/') && starts_with_any(&PREFIXES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32) -> SourceFrame {
        let position = SourcePosition { file: file.into(), line, column: 3 };
        SourceFrame { function: "f".into(), position: Some(position) }
    }

    fn line(frames: &[SourceFrame]) -> Option<u32> {
        position_for_reader(frames).map(|position| position.line)
    }

    #[test]
    fn wrappers_of_the_toolkit_are_looked_through() {
        for header in [
            "/usr/local/cuda/include/device_atomic_functions.hpp",
            "/usr/local/cuda/bin/..//include/texture_indirect_functions.h",
            "/usr/local/cuda/include/cooperative_groups/details/sync.h",
            "/usr/local/cuda/include/cccl/cuda/std/atomic",
        ] {
            assert_eq!(
                line(&[frame(header, 112), frame("histogram.cu", 13)]),
                Some(13),
                "{header}"
            );
        }
    }

    #[test]
    fn a_place_that_is_only_in_a_header_is_better_than_none() {
        assert_eq!(line(&[frame("/usr/local/cuda/include/sm_20_intrinsics.hpp", 7)]), Some(7));
        assert_eq!(line(&[]), None);
    }

    #[test]
    fn a_users_own_header_is_not_a_wrapper() {
        assert_eq!(line(&[frame("src/device_tools.h", 4), frame("main.cu", 9)]), Some(4));
        assert_eq!(line(&[frame("lib/include/tools/math_x.h", 4), frame("main.cu", 9)]), Some(4));
    }
}
