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
/// toolkit, where `atomicAdd` and its kin are only wrappers, nor in the C and C++ libraries.
pub fn position_for_reader(frames: &[SourceFrame]) -> Option<&SourcePosition> {
    let known = || frames.iter().filter_map(|frame| frame.position.as_ref());
    known().find(|position| !is_library_source(&position.file)).or_else(|| known().next())
}

/// Whether a file is not the user's: a header of the CUDA toolkit, or a source of the C or C++ library.
pub fn is_library_source(file: &str) -> bool {
    let is_below_system =
        ["/usr/include/", "/usr/lib/"].iter().any(|start| file.starts_with(start));
    let is_of_c_library = file.contains("/include/c++/") || file.contains("../sysdeps/");
    is_below_system || is_of_c_library || is_toolkit_header(file)
}

/// Whether a file is one of the toolkit's own headers.
pub fn is_toolkit_header(file: &str) -> bool {
    path_in_toolkit(file).is_some()
}

/// The path of a header below the folder of the toolkit's headers, without the folder that newer releases keep the core
/// libraries in: `cub/block/block_reduce.cuh`. None for other files. Nothing in the line table says which they are, but
/// they lie in a folder `include` and have names that NVIDIA reserves for itself by habit; CUB and Thrust are also used as
/// they are developed, in folders of their own.
pub fn path_in_toolkit(file: &str) -> Option<&str> {
    const FOLDERS: [&str; 7] =
        ["crt/", "cooperative_groups/", "cccl/", "cuda/", "nv/", "cub/", "thrust/"];
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
    for (folder, name) in [("/cub/cub/", "cub/"), ("/thrust/thrust/", "thrust/")] {
        if let Some(start) = file.rfind(folder) {
            return Some(&file[start + folder.len() - name.len()..]);
        }
    }
    let (_, below) = file.rsplit_once("/include/")?;
    let starts_with_any = |starts: &[&str]| starts.iter().any(|start| below.starts_with(start));
    let is_one = starts_with_any(&FOLDERS) || (!below.contains('/') && starts_with_any(&PREFIXES));
    is_one.then(|| below.strip_prefix("cccl/").unwrap_or(below))
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
            "/usr/local/cuda/include/cub/block/block_reduce.cuh",
            "/src/cccl/thrust/thrust/detail/reduce.inl",
        ] {
            assert_eq!(
                line(&[frame(header, 112), frame("histogram.cu", 13)]),
                Some(13),
                "{header}"
            );
        }
    }

    #[test]
    fn a_header_has_one_path_wherever_its_release_keeps_it() {
        for file in [
            "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh",
            "/usr/local/cuda/include/cub/block/block_reduce.cuh",
            "third_party/cccl/cub/cub/block/block_reduce.cuh",
        ] {
            assert_eq!(path_in_toolkit(file), Some("cub/block/block_reduce.cuh"));
        }
        assert_eq!(path_in_toolkit("/x/libcudacxx/include/cuda/pipeline"), Some("cuda/pipeline"));
        assert_eq!(path_in_toolkit("src/cub/tiles.cuh"), None);
        assert_eq!(path_in_toolkit("/x/include/tools/math_x.h"), None);
    }

    #[test]
    fn the_c_and_cpp_libraries_are_looked_through() {
        for file in [
            "/usr/include/c++/13/bits/stl_algobase.h",
            "/opt/gcc/include/c++/13/atomic",
            "/usr/include/x86_64-linux-gnu/bits/string_fortified.h",
            "/usr/lib/gcc/x86_64-linux-gnu/13/include/emmintrin.h",
            "./string/../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S",
        ] {
            assert_eq!(line(&[frame(file, 385), frame("main.cu", 9)]), Some(9), "{file}");
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
