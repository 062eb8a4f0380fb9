//! Faults name the instruction.

use crate::support::{Machine, Setup, kernel};

#[test]
fn the_site_is_the_instruction_that_did_it() {
    for (bad, rest) in [
        ("st.global.u32 [%rd1+4096], %r1", "st.global.u32 [%rd2], %r1"),
        ("ld.shared.u32 %r2, [s+2048]", "ld.shared.u32 %r2, [s]"),
        ("atom.global.add.u32 %r2, [%rd1+2], 1", "atom.global.add.u32 %r2, [%rd1], 1"),
        ("trap", "mov.u32 %r2, 3"),
        ("bar.sync 17", "bar.sync 3"),
        ("mbarrier.arrive.shared.b64 _, [s]", "bar.warp.sync -1"),
    ] {
        let bad = if bad == "bar.sync 17" { "bar.sync %r10" } else { bad };
        let text = kernel(&format!(
            "mov.u32 %r10, 17;\n{rest};\nsetp.eq.u32 %p1, %r9, 2;\n@!%p1 bra $end;\n{bad};\n$end:\n{rest};\nret;"
        ));
        let machine = Machine::new(&text, 3 * 64);
        let fault = machine.launch(&Setup::new(3, 64)).fault();
        let site = machine.kernel.sites.get(fault.site);
        assert_eq!(site.instruction.trim_end_matches(';'), bad);
        let line = text.lines().position(|line| line.starts_with(bad)).unwrap() + 1;
        assert_eq!(site.ptx_line as usize, line, "{bad}");
        assert_eq!(fault.block.0, 2, "{bad}");
        assert!(fault.thread == 0 || fault.thread == 32, "the lowest lane of a warp: {bad}");
    }
}
