//! The audit library, `libwarpsan_audit.so`: it redirects statically linked copies of cudart.
//!
//! A program linked with `-cudart static`, which is nvcc's default, carries all of cudart inside
//! itself, and no library that is preloaded gets between. The dynamic linker calls an audit library
//! (`LD_AUDIT`, see `rtld-audit(7)`) for every object that it loads: the program, the libraries
//! it is linked with, and those it opens later. When a group of objects is complete and before any
//! of their constructors runs, this library looks for cudart's entry points in the symbol tables of
//! the new objects and overwrites the beginning of each with a jump to the entry point of the same
//! name in our own `libcudart.so`, which is preloaded.
//!
//! It also sends requests for a genuine `libcudart.so` by its full path to ours.
//!
//! What it could not redirect it notes in a file that `warpsan run` reads, because such a program
//! is not checked. An audit library lives in a namespace of its own, with its own copy of the C
//! library, so it shares no state with the runtime inside the program.

mod elf;
mod entry_points;
mod linker;
mod mapped_file;
mod notes;
mod patch;
mod redirection;
mod settings;
