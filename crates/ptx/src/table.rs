//! The instructions that warpsan gives a meaning to, one row each, with the section of the PTX
//! manual (version 9.1) that defines it. The lists of the documentation derive from it.

/// One opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The first word of the instruction.
    pub opcode: &'static str,
    /// The manual's section.
    pub section: &'static str,
    /// A valid use of it, over the registers `%p`, `%r`, `%rd` and `%f`, the label `$L` and the
    /// function `f`. A test of the `ir` crate lowers every one.
    pub example: &'static str,
}

macro_rules! rows {
    ($($opcode:literal $section:literal $example:literal)*) => {
        /// All rows, by opcode.
        pub const ROWS: &[Row] = &[$(Row { opcode: $opcode, section: $section, example: $example }),*];
    };
}

rows! {
    "abs" "9.7.1.10, 9.7.3.9" "abs.s32 %r1, %r2"
    "activemask" "9.7.13.11" "activemask.b32 %r1"
    "add" "9.7.1.1, 9.7.2.1, 9.7.3.3" "add.f32 %f1, %f2, %f3"
    "addc" "9.7.2.2" "addc.cc.u32 %r1, %r2, %r3"
    "and" "9.7.8.1" "and.b32 %r1, %r2, 7"
    "atom" "9.7.13.5" "atom.global.add.u32 %r1, [%rd1], 1"
    "bar" "9.7.13.1, 9.7.13.2" "bar.sync 0"
    "barrier" "9.7.13.1" "barrier.sync 0"
    "bfe" "9.7.1.19" "bfe.u32 %r1, %r2, 4, 8"
    "bfi" "9.7.1.20" "bfi.b32 %r1, %r2, %r3, 4, 8"
    "bfind" "9.7.1.16" "bfind.u32 %r1, %r2"
    "bmsk" "9.7.1.22" "bmsk.clamp.b32 %r1, %r2, %r3"
    "bra" "9.7.12.3" "bra $L"
    "brev" "9.7.1.18" "brev.b32 %r1, %r2"
    "call" "9.7.12.5" "call f"
    "clz" "9.7.1.15" "clz.b32 %r1, %r2"
    "cnot" "9.7.8.5" "cnot.b32 %r1, %r2"
    "copysign" "9.7.3.2" "copysign.f32 %f1, %f2, %f3"
    "cos" "9.7.3.19" "cos.approx.f32 %f1, %f2"
    "cvt" "9.7.9.21" "cvt.rn.f32.s32 %f1, %r1"
    "cvta" "9.7.9.20" "cvta.to.global.u64 %rd1, %rd2"
    "div" "9.7.1.8, 9.7.3.8" "div.s32 %r1, %r2, %r3"
    "ex2" "9.7.3.21" "ex2.approx.f32 %f1, %f2"
    "exit" "9.7.12.7" "exit"
    "fence" "9.7.13.4" "fence.acq_rel.gpu"
    "fma" "9.7.3.6" "fma.rn.f32 %f1, %f2, %f3, %f4"
    "isspacep" "9.7.9.19" "isspacep.shared %p1, %rd1"
    "ld" "9.7.9.8, 9.7.9.9" "ld.global.v2.u32 {%r1, %r2}, [%rd1+8]"
    "ldu" "9.7.9.10" "ldu.global.u32 %r1, [%rd1]"
    "lg2" "9.7.3.20" "lg2.approx.f32 %f1, %f2"
    "lop3" "9.7.8.6" "lop3.b32 %r1, %r2, %r3, %r4, 0x96"
    "mad" "9.7.1.4, 9.7.2.5, 9.7.3.7" "mad.lo.s32 %r1, %r2, %r3, %r4"
    "mad24" "9.7.1.6" "mad24.lo.s32 %r1, %r2, %r3, %r4"
    "madc" "9.7.2.6" "madc.hi.cc.u32 %r1, %r2, %r3, %r4"
    "max" "9.7.1.13, 9.7.3.12" "max.s32 %r1, %r2, %r3"
    "membar" "9.7.13.4" "membar.gl"
    "min" "9.7.1.12, 9.7.3.11" "min.f32 %f1, %f2, %f3"
    "mov" "9.7.9.3, 9.7.9.4" "mov.u32 %r1, %tid.x"
    "mul" "9.7.1.3, 9.7.3.5" "mul.wide.s32 %rd1, %r1, 4"
    "mul24" "9.7.1.5" "mul24.lo.s32 %r1, %r2, %r3"
    "nanosleep" "9.7.19.2" "nanosleep.u32 100"
    "neg" "9.7.1.11, 9.7.3.10" "neg.s32 %r1, %r2"
    "not" "9.7.8.4" "not.b32 %r1, %r2"
    "or" "9.7.8.2" "or.b32 %r1, %r2, %r3"
    "popc" "9.7.1.14" "popc.b32 %r1, %r2"
    "prefetch" "9.7.9.15" "prefetch.global.L2 [%rd1]"
    "prefetchu" "9.7.9.15" "prefetchu.L1 [%rd1]"
    "prmt" "9.7.9.7" "prmt.b32 %r1, %r2, %r3, 0x3210"
    "rcp" "9.7.3.13" "rcp.rn.f32 %f1, %f2"
    "red" "9.7.13.6" "red.global.add.u32 [%rd1], 1"
    "rem" "9.7.1.9" "rem.u32 %r1, %r2, %r3"
    "ret" "9.7.12.6" "ret"
    "rsqrt" "9.7.3.16" "rsqrt.approx.f32 %f1, %f2"
    "sad" "9.7.1.7" "sad.u32 %r1, %r2, %r3, %r4"
    "selp" "9.7.6.3" "selp.b32 %r1, %r2, %r3, %p1"
    "set" "9.7.6.1" "set.lt.u32.s32 %r1, %r2, %r3"
    "setp" "9.7.6.2" "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3"
    "shf" "9.7.8.7" "shf.l.wrap.b32 %r1, %r2, %r3, %r4"
    "shfl" "9.7.9.6" "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1"
    "shl" "9.7.8.8" "shl.b32 %r1, %r2, 3"
    "shr" "9.7.8.9" "shr.u32 %r1, %r2, 3"
    "sin" "9.7.3.18" "sin.approx.f32 %f1, %f2"
    "slct" "9.7.6.4" "slct.s32.s32 %r1, %r2, %r3, %r4"
    "sqrt" "9.7.3.15" "sqrt.rn.f32 %f1, %f2"
    "st" "9.7.9.11" "st.shared.u32 [%r1], %r2"
    "sub" "9.7.1.2, 9.7.2.3, 9.7.3.4" "sub.s32 %r1, %r2, %r3"
    "subc" "9.7.2.4" "subc.u32 %r1, %r2, %r3"
    "testp" "9.7.3.1" "testp.finite.f32 %p1, %f1"
    "trap" "9.7.19.4" "trap"
    "vote" "9.7.13.9" "vote.sync.ballot.b32 %r1, %p1, -1"
    "xor" "9.7.8.3" "xor.b32 %r1, %r2, %r3"
}

/// The row of an opcode.
pub fn row(opcode: &str) -> Option<&'static Row> {
    ROWS.binary_search_by(|row| row.opcode.cmp(opcode)).ok().map(|index| &ROWS[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        assert!(ROWS.windows(2).all(|pair| pair[0].opcode < pair[1].opcode));
        assert!(row("wgmma").is_none());
        assert_eq!(row("membar").unwrap().section, "9.7.13.4");
    }
}
