//! The library in front of the real driver: `gpu/libcuda.so.1`.
//!
//! It exports every function of the real driver. Each is one jump through a slot, and all slots are filled when
//! the first of them is used, by `libwarpsan_rt.so`, which opens the real driver for that. So a process that does
//! not use CUDA does not load the driver either.

use super::jump_table::{link, symbol_names, version_script};
use super::{Failure, write};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The folder of the library, apart from that of the CPU engine with the same name.
pub(crate) const FOLDER: &str = "gpu";
const LIBRARY: &str = "libcuda.so.1";

/// Saves everything that a function may get its arguments in, has the slots filled, and goes on as if the slot
/// had been filled before. The number of the slot is on the stack, and below it all is as the program left it,
/// so the stack is aligned when 7 registers and 136 bytes are on it.
const RESOLVE: &str = ".Lresolve:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    subq $136, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    leaq .Lslots(%rip), %rdi
    leaq .Lnames(%rip), %rsi
    movq .Lcount(%rip), %rdx
    call *wsgpu_fill_table@GOTPCREL(%rip)
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $136, %rsp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %r11
    leaq .Lslots(%rip), %r10
    jmp *(%r10, %r11, 8)

";

/// Generates, assembles and links the library.
pub(crate) fn build(symbols: &Path, runtime: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let names = symbol_names(symbols)?;
    let folder = out.join(FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let assembly = folder.join(format!("{LIBRARY}.s"));
    let script = folder.join(format!("{LIBRARY}.map"));
    write(&assembly, &assembly_of(&names))?;
    // The names of the driver have no versions.
    write(&script, &version_script(&names, ""))?;
    // The runtime is found in the folder above, should it not be loaded already.
    link(&assembly, &script, runtime, &folder.join(LIBRARY), "$ORIGIN/..")
}

fn assembly_of(names: &[String]) -> String {
    let mut text = String::from("    .text\n");
    let mut slots = String::from("    .data\n    .balign 8\n.Lslots:\n");
    let mut strings = String::from("    .section .rodata\n.Lnames:\n");
    for (index, name) in names.iter().enumerate() {
        let _ = write!(
            text,
            "    .globl {name}\n    .type {name}, @function\n    .balign 16\n{name}:\n    endbr64\n    \
             jmp *.Lslots+{offset}(%rip)\n    .size {name}, . - {name}\n\
             .Lfirst{index}:\n    endbr64\n    pushq ${index}\n    jmp .Lresolve\n\n",
            offset = 8 * index
        );
        let _ = writeln!(slots, "    .quad .Lfirst{index}");
        let _ = writeln!(strings, "    .asciz \"{name}\"");
    }
    let count = names.len();
    // Without the note the linker would make the stack executable.
    format!(
        "{text}{RESOLVE}{slots}{strings}    .balign 8\n.Lcount:\n    .quad {count}\n    \
         .section .note.GNU-stack,\"\",@progbits\n"
    )
}
