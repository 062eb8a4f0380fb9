//! The corpus under `suites/ptx`: CUDA sources that are compiled for many architectures in several modes.
//!
//! Each PTX text that comes out has to survive a round trip: it is parsed, printed, and assembled by ptxas,
//! which must give the same machine code as for the original text. Programs made of the same sources show
//! that the PTX inside them is found.

mod assemble;
mod compile;
mod cubin;
mod executables;
mod round_trip;
mod run;
mod sample;
mod source;
mod store;
mod unit;

pub use assemble::Assembled;
pub use compile::{CompileFailure, Compilers, nvcc_ptx};
pub use cubin::{Difference, Section};
pub use executables::{Executable, ExecutableVerdict, Linking};
pub use round_trip::{Failure, Verdict, printed};
pub use run::{Checked, in_parallel};
pub use sample::sample;
pub use source::{CorpusError, Source, read_sources};
pub(crate) use store::Key;
pub use store::Store;
pub use unit::{Architecture, Mode, Unit, units_of};
