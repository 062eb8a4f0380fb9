//! A form as a kernel: thread `i` loads the operands of tuple `i`, computes, and stores the results.

use std::fmt::Write as _;

use warpsan_oracle::kernels::module_head;

use super::{Form, ValueType};

/// The threads of a block when a form's kernel is launched; the grid has as many blocks as tuples need.
pub const THREADS_PER_BLOCK: u32 = 128;

/// One module with a kernel for each form.
pub fn module_text(forms: &[Form]) -> String {
    let mut text = module_head().to_owned();
    for form in forms {
        text.push_str(&kernel_text(form));
    }
    text
}

/// The kernel of a form. Its parameters are the address of the results (a word of 64 bits each, zero before),
/// the address of the operands (a word each, tuple by tuple), and the number of tuples.
pub fn kernel_text(form: &Form) -> String {
    let mut text = format!(
        "\n// {}\n.visible .entry {}(.param .u64 results, .param .u64 operands, .param .u32 count)\n{{\n",
        form.name,
        form.kernel_name()
    );
    let operands = Form::OPERANDS.iter().zip(&form.operands);
    let results = Form::RESULTS.iter().zip(&form.results);
    for (register, value) in operands.clone().chain(results.clone()) {
        let _ = writeln!(text, "\t.reg .{} {register};", value.register());
    }
    text.push_str(
        "\t.reg .pred %beyond;\n\t.reg .b32 %thread, %block, %threads, %count, %bit;\n\
         \t.reg .b64 %operand, %result;\n\
         \tmov.u32 %thread, %tid.x;\n\tmov.u32 %block, %ctaid.x;\n\tmov.u32 %threads, %ntid.x;\n\
         \tmad.lo.u32 %thread, %block, %threads, %thread;\n\
         \tld.param.u32 %count, [count];\n\tsetp.ge.u32 %beyond, %thread, %count;\n\t@%beyond ret;\n\
         \tld.param.u64 %operand, [operands];\n\tld.param.u64 %result, [results];\n",
    );
    let sizes = [("operand", form.operands.len()), ("result", form.results.len())];
    for (pointer, count) in sizes {
        let _ = writeln!(text, "\tmad.wide.u32 %{pointer}, %thread, {}, %{pointer};", 8 * count);
    }
    for (index, (register, value)) in operands.enumerate() {
        let offset = 8 * index;
        if *value == ValueType::Predicate {
            let _ = writeln!(text, "\tld.global.b32 %bit, [%operand+{offset}];");
            let _ = writeln!(text, "\tsetp.ne.u32 {register}, %bit, 0;");
        } else {
            let width = value.register();
            let _ = writeln!(text, "\tld.global.{width} {register}, [%operand+{offset}];");
        }
    }
    for line in form.code.lines() {
        let _ = writeln!(text, "\t{line}");
    }
    for (index, (register, value)) in results.enumerate() {
        let offset = 8 * index;
        if *value == ValueType::Predicate {
            let _ = writeln!(text, "\tselp.u32 %bit, 1, 0, {register};");
            let _ = writeln!(text, "\tst.global.b32 [%result+{offset}], %bit;");
        } else {
            let width = value.register();
            let _ = writeln!(text, "\tst.global.{width} [%result+{offset}], {register};");
        }
    }
    text.push_str("\tret;\n}\n");
    text
}
