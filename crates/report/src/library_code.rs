//! Races within NVIDIA's own headers, in parts that a program cannot change.
//!
//! What the user called is the outermost frame that is in such a header. It decides, together with the memory:
//!
//! - In kernels of their own, CUB and Thrust order what they do with temporary storage, and nobody else can. Where they let
//!   a kernel begin before an earlier one of theirs has ended, they wait for that, too; but the user chooses the streams.
//!   In a kernel of the user, who meets in temporary storage does so because no barrier is between two calls, or two
//!   passes of a loop, which the user has to put there, or because the user hands in one rank twice. Arguments that
//!   overlap are always the user's.
//! - The objects of cooperative groups and of `cuda::pipeline` are handled by them alone, from the first call to the
//!   destructor. Who makes a pipeline of a state that is still in use is the user, and so is who says where to store a result.
//! - A copy goes to memory of the user. But lanes of one cooperative group that have nothing left to copy copy the last part
//!   once more, at once with the lane whose part it is.
//! - Everything else, as atomics and barriers of libcu++, does what the user says to memory of the user.

use crate::{AccessOrder, AccessOrigin, AccessReport, Race, RaceKind};
use warpsan_model::{SourceFrame, Space, is_toolkit_header, path_in_toolkit};

/// What of the toolkit the user called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Library {
    /// CUB or Thrust.
    Algorithms,
    /// Cooperative groups, but for what they copy or store to memory of the user.
    Groups,
    /// Copies of cooperative groups.
    GroupCopies,
    /// `cuda::pipeline`, once it is made, but for its copies.
    Pipeline,
}

/// The way of an access, cut where it leaves the code of the user.
#[derive(Debug, Clone, Copy)]
struct Way<'a> {
    library: Library,
    /// The frames of the user, up to the kernel; none in a kernel of the library.
    own: &'a [SourceFrame],
}

impl Race {
    /// Whether both accesses are within NVIDIA's own headers, in a part that the user cannot change.
    pub fn is_library_code(&self) -> bool {
        let ways = Way::of(&self.first).zip(Way::of(&self.second));
        ways.is_some_and(|(one, other)| one.library == other.library && self.is_within(one, other))
    }

    fn is_within(&self, one: Way<'_>, other: Way<'_>) -> bool {
        let [first, second] = [&self.first, &self.second];
        match one.library {
            Library::Algorithms => {
                let is_own_kernel = one.own.is_empty() && other.own.is_empty();
                let is_theirs_to_order = match self.kind {
                    RaceKind::InterKernel => self.programmatic,
                    _ => !self.is_on_users_data(),
                };
                is_own_kernel && is_theirs_to_order
            }
            Library::Groups | Library::Pipeline => !self.is_on_users_data(),
            Library::GroupCopies => {
                let is_one_warp = (first.block, first.warp) == (second.block, second.warp);
                let is_at_once = self.order == AccessOrder::Unknown;
                is_one_warp && is_at_once && one.own == other.own
            }
        }
    }

    /// Whether it is on data that the user handed in. Libraries keep data of their own in shared memory; what they keep in
    /// global memory are flags and counters, which they do not access weakly.
    fn is_on_users_data(&self) -> bool {
        let is_weak = |access: &AccessReport| access.strength == "weak";
        self.location.space == Some(Space::Global) && is_weak(&self.first) && is_weak(&self.second)
    }
}

impl<'a> Way<'a> {
    /// None for an access of the user's own code.
    fn of(access: &'a AccessReport) -> Option<Way<'a>> {
        if access.origin != AccessOrigin::Kernel {
            return None;
        }
        let of_toolkit = |frame: &SourceFrame| file(frame).is_some_and(is_toolkit_header);
        let end = access.frames.iter().position(|frame| !of_toolkit(frame));
        let (headers, own) = access.frames.split_at(end.unwrap_or(access.frames.len()));
        let called = headers.last()?;
        let header = path_in_toolkit(file(called)?)?;
        // It runs in one thread, on what that thread gives it.
        let is_sequential =
            headers.iter().filter_map(file).any(|file| file.contains("/sequential/"));
        let library = Library::of(header, &called.function).filter(|_| !is_sequential)?;
        Some(Way { library, own })
    }
}

impl Library {
    /// The library that a function belongs to, by the path of its header below the toolkit's folder.
    fn of(header: &str, function: &str) -> Option<Library> {
        let is_below = |folder: &str| header.starts_with(folder);
        let is_named = |name: &str| {
            let without_arguments = function.split('<').next().unwrap_or(function);
            without_arguments.rsplit("::").next() == Some(name)
        };
        if is_below("cub/") || is_below("thrust/") {
            Some(Library::Algorithms)
        } else if header == "cuda/pipeline" {
            let is_users = is_named("make_pipeline") || is_named("memcpy_async");
            Some(Library::Pipeline).filter(|_| !is_users)
        } else if header == "cooperative_groups/memcpy_async.h"
            || header == "cooperative_groups/details/async.h"
        {
            Some(Library::GroupCopies)
        } else if is_below("cooperative_groups") {
            Some(Library::Groups).filter(|_| !is_named("reduce_store_async"))
        } else {
            None
        }
    }
}

fn file(frame: &SourceFrame) -> Option<&str> {
    frame.position.as_ref().map(|position| &*position.file)
}

#[cfg(test)]
mod tests;
