//! Every computing PTX instruction, form by form, with edge values, against what a GPU gave.
//!
//! [`forms`] is the table: one [`Form`] for each type and modifier that sm_90 has. [`module_text`] makes one
//! kernel of each. The inputs follow from a form's name ([`Form::inputs`]), so only outputs are stored: they
//! were computed once by the GPU that `suites/instructions/ORIGIN.md` names, and [`Recorded`] reads them.

mod edges;
mod emitted;
mod float_edges;
mod form;
mod near;
mod recorded;
mod table;
mod text;
mod tuples;
mod value;

pub use emitted::{KERNELS_FILE, RECORDED_SEEDS, emit, pack};
pub use form::{Form, Rule};
pub use recorded::{Outputs, Recorded, RecordedError, file_name};
pub use table::{GROUPS, forms};
pub use text::{THREADS_PER_BLOCK, kernel_text, module_text};
pub use value::ValueType;
