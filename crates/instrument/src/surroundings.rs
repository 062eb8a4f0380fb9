//! Where a check is expanded: what the words of its template stand for there, and the registers that hold them.

use crate::context::{CONTEXT_BYTES, LaunchContext};
use crate::template::ExpansionPlace;
use crate::variables::CONTEXT_NAME;
use std::fmt::Write;

/// Bytes that a called function gets: the launch's context, where the lane's own state is, and which warps its block has.
pub(crate) const PASSED_BYTES: u32 = CONTEXT_BYTES + 16;

/// A kernel or function that is being instrumented.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    /// A kernel, which has its state in registers; a function gets it from its caller.
    pub(crate) is_kernel: bool,
    /// Functions are called, so the lane's state is in memory, where they find and change it.
    pub(crate) state_in_memory: bool,
}

impl Surroundings {
    /// Declares and fills the registers that checks use. `declares_state` puts the state's memory into the kernel's frame.
    pub(crate) fn prologue(self, out: &mut String) {
        out.push_str(
            "\t.reg .b64 %ws_self, %ws_place, %ws_address, %ws_variable, %ws_named, %ws_pass, %ws_object;\n\
             \t.reg .b64 %ws_value_0, %ws_value_1, %ws_value_2, %ws_value_3;\n\t.reg .b16 %ws_half;\n\
             \t.reg .b32 %ws_first_warp, %ws_warps, %ws_a, %ws_b, %ws_c, %ws_threads, %ws_base;\n\
             \t.reg .pred %ws_counts, %ws_wrote;\n",
        );
        let _ = writeln!(out, "\tld.param.b32 %ws_base, [{CONTEXT_NAME}+{}];", LaunchContext::BASE);
        if !self.is_kernel {
            let _ = write!(
                out,
                "\tld.param.b64 %ws_place, [{CONTEXT_NAME}+{}];\n\
                 \tld.param.b32 %ws_first_warp, [{CONTEXT_NAME}+{}];\n\
                 \tld.param.b32 %ws_warps, [{CONTEXT_NAME}+{}];\n",
                CONTEXT_BYTES,
                CONTEXT_BYTES + 8,
                CONTEXT_BYTES + 12
            );
            out.push_str(THREADS);
            return;
        }
        let _ = write!(
            out,
            "\tld.param.b64 %ws_pass, [{CONTEXT_NAME}+{}];\n\tsetp.eq.u64 %ws_counts, %ws_pass, 0;\n\
             \t@%ws_counts bra $ws_own_base;\n\tld.global.b32 %ws_a, [%ws_pass];\n\
             \tadd.u32 %ws_base, %ws_base, %ws_a;\n$ws_own_base:\n",
            LaunchContext::BASE_PLACE
        );
        if self.state_in_memory {
            out.push_str(
                "\t.local .align 8 .b64 ws_state;\n\tmov.u64 %ws_place, ws_state;\n\
                 \tcvta.local.u64 %ws_place, %ws_place;\n",
            );
        }
        out.push_str(THREADS);
        // The lane's warp, counted in the grid, and its place in the warp.
        out.push_str(
            "\tadd.u32 %ws_warps, %ws_threads, 31;\n\tshr.u32 %ws_warps, %ws_warps, 5;\n\
             \tmov.u32 %ws_a, %ctaid.z;\n\tmov.u32 %ws_b, %nctaid.y;\n\tmov.u32 %ws_c, %ctaid.y;\n\
             \tmad.lo.u32 %ws_a, %ws_a, %ws_b, %ws_c;\n\
             \tmov.u32 %ws_b, %nctaid.x;\n\tmov.u32 %ws_c, %ctaid.x;\n\
             \tmad.lo.u32 %ws_a, %ws_a, %ws_b, %ws_c;\n\
             \tmul.lo.u32 %ws_first_warp, %ws_a, %ws_warps;\n\
             \tmov.u32 %ws_a, %tid.z;\n\tmov.u32 %ws_b, %ntid.y;\n\tmov.u32 %ws_c, %tid.y;\n\
             \tmad.lo.u32 %ws_a, %ws_a, %ws_b, %ws_c;\n\
             \tmov.u32 %ws_b, %ntid.x;\n\tmov.u32 %ws_c, %tid.x;\n\
             \tmad.lo.u32 %ws_a, %ws_a, %ws_b, %ws_c;\n\
             \tand.b32 %ws_b, %ws_a, 31;\n\tshr.u32 %ws_a, %ws_a, 5;\n\
             \tadd.u32 %ws_a, %ws_a, %ws_first_warp;\n\
             \tshl.b32 %ws_c, %ws_a, 5;\n\tor.b32 %ws_c, %ws_c, %ws_b;\n\
             \tcvt.u64.u32 %ws_self, %ws_c;\n\tshl.b64 %ws_self, %ws_self, 26;\n",
        );
        self.store_state(out);
    }

    /// Puts a state that was computed in `%ws_self` where checks look for it.
    fn store_state(self, out: &mut String) {
        if self.state_in_memory {
            out.push_str("\tst.b64 [%ws_place], %ws_self;\n");
        }
    }

    /// Hands the context on to a function: what stands before its call.
    pub(crate) fn pass_on(self, out: &mut String) {
        let _ = writeln!(out, "\t.param .align 8 .b8 ws_passed[{PASSED_BYTES}];");
        for offset in (0..CONTEXT_BYTES).step_by(8) {
            let _ = writeln!(
                out,
                "\tld.param.b64 %ws_pass, [{CONTEXT_NAME}+{offset}];\n\tst.param.b64 [ws_passed+{offset}], %ws_pass;"
            );
        }
        let _ = writeln!(
            out,
            "\tst.param.b32 [ws_passed+{}], %ws_base;\n\tst.param.b64 [ws_passed+{}], %ws_place;\n\tst.param.b32 [ws_passed+{}], %ws_first_warp;\n\
             \tst.param.b32 [ws_passed+{}], %ws_warps;",
            LaunchContext::BASE,
            CONTEXT_BYTES,
            CONTEXT_BYTES + 8,
            CONTEXT_BYTES + 12
        );
    }
}

/// The threads of a block.
const THREADS: &str = "\tmov.u32 %ws_threads, %ntid.x;\n\tmov.u32 %ws_a, %ntid.y;\n\
     \tmul.lo.u32 %ws_threads, %ws_threads, %ws_a;\n\tmov.u32 %ws_a, %ntid.z;\n\
     \tmul.lo.u32 %ws_threads, %ws_threads, %ws_a;\n";

/// One expansion: the surroundings and the site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) surroundings: Surroundings,
    pub(crate) site: u32,
    /// What the instruction has for the check, by name.
    pub(crate) inputs: &'a [(&'a str, String)],
    /// The instruction, for checks that make it themselves.
    pub(crate) operation: &'a str,
}

impl ExpansionPlace for Here<'_> {
    fn input(&self, bits: &str, to: &str, name: &str) -> String {
        match name {
            "self" if self.surroundings.state_in_memory => format!("ld.{bits} {to}, [%ws_place];"),
            "self" => format!("mov.{bits} {to}, %ws_self;"),
            "site" => format!("mov.{bits} {to}, {};", self.site),
            "first_warp" => format!("mov.{bits} {to}, %ws_first_warp;"),
            "warps_per_block" => format!("mov.{bits} {to}, %ws_warps;"),
            "base" => format!("mov.{bits} {to}, %ws_base;"),
            "address" => format!("mov.{bits} {to}, %ws_address;"),
            _ => self.named(bits, to, name),
        }
    }

    fn context(&self, bits: &str, to: &str, offset: u32) -> String {
        format!("ld.param.{bits} {to}, [{CONTEXT_NAME}+{offset}];")
    }

    fn operation(&self) -> String {
        self.operation.to_owned()
    }

    fn output(&self, bits: &str, name: &str, from: &str) -> String {
        // What the instruction brings a register for goes there, and anything else is the lane's state.
        if let Some((_, register)) = self.inputs.iter().find(|(known, _)| *known == name) {
            return format!("mov.{bits} {register}, {from};");
        }
        match self.surroundings.state_in_memory {
            true => format!("st.{bits} [%ws_place], {from};"),
            false => format!("mov.{bits} %ws_self, {from};"),
        }
    }
}

impl Here<'_> {
    /// One of the inputs that the instruction brings: a number, a register, or a predicate.
    fn named(&self, bits: &str, to: &str, name: &str) -> String {
        let found = self.inputs.iter().find(|(known, _)| *known == name);
        match found.map_or("0", |(_, text)| text) {
            predicate @ "%ws_wrote" => format!("selp.{bits} {to}, 1, 0, {predicate};"),
            text => format!("mov.{bits} {to}, {text};"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prologue(is_kernel: bool, state_in_memory: bool) -> String {
        let mut text = String::new();
        Surroundings { is_kernel, state_in_memory }.prologue(&mut text);
        text
    }

    #[test]
    fn the_state_of_a_lane_is_in_a_register_until_functions_share_it() {
        assert!(!prologue(true, false).contains("ws_state"));
        let with_functions = prologue(true, true);
        assert!(with_functions.contains(".local .align 8 .b64 ws_state;"));
        assert!(with_functions.ends_with("st.b64 [%ws_place], %ws_self;\n"));
        let of_function = prologue(false, true);
        assert!(of_function.contains("ld.param.b64 %ws_place, [ws_context+264];"));
        assert!(!of_function.contains("%tid"), "its caller knows the lane's place");
    }

    #[test]
    fn every_field_of_the_context_is_handed_on() {
        let mut text = String::new();
        Surroundings { is_kernel: true, state_in_memory: true }.pass_on(&mut text);
        for offset in (0..CONTEXT_BYTES).step_by(8) {
            assert!(text.contains(&format!("st.param.b64 [ws_passed+{offset}], %ws_pass;")));
        }
        // The base that was computed takes the place of the one that came.
        let (copied, own) =
            (text.find("[ws_passed+48], %ws_pass"), text.find("[ws_passed+48], %ws_base"));
        assert!(copied.is_some() && copied < own, "{text}");
    }

    #[test]
    fn words_of_checks_become_what_is_there() {
        let inputs = [("mask", "%r5".to_owned()), ("wrote", "%ws_wrote".to_owned())];
        let place = |state_in_memory| Here {
            surroundings: Surroundings { is_kernel: true, state_in_memory },
            site: 17,
            inputs: &inputs,
            operation: "",
        };
        let (register, memory) = (place(false), place(true));
        assert_eq!(register.input("b64", "%ws_rd1", "self"), "mov.b64 %ws_rd1, %ws_self;");
        assert_eq!(memory.input("b64", "%ws_rd1", "self"), "ld.b64 %ws_rd1, [%ws_place];");
        assert_eq!(register.output("b64", "self", "%ws_rd1"), "mov.b64 %ws_self, %ws_rd1;");
        assert_eq!(memory.output("b64", "self", "%ws_rd1"), "st.b64 [%ws_place], %ws_rd1;");
        assert_eq!(register.input("b32", "%ws_r1", "site"), "mov.b32 %ws_r1, 17;");
        assert_eq!(register.input("b32", "%ws_r1", "mask"), "mov.b32 %ws_r1, %r5;");
        assert_eq!(register.input("b32", "%ws_r1", "other"), "mov.b32 %ws_r1, 0;");
        assert_eq!(register.input("b32", "%ws_r1", "wrote"), "selp.b32 %ws_r1, 1, 0, %ws_wrote;");
        assert_eq!(
            register.context("b64", "%ws_rd1", 40),
            "ld.param.b64 %ws_rd1, [ws_context+40];"
        );
    }
}
