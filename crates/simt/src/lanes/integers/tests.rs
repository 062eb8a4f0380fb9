//! All functions over lanes: the same bits from every processor, and the right ones.

use crate::lanes::{CONSTANT, Instructions, LaneFn, Maker, Operands, Row, Rows, arithmetic};
use warpsan_ir::{
    BinaryOp, Mode, Op, PermuteMode, Register, Rounding, TernaryOp, Type, UnaryOp, Value,
};

/// Rows for three operands and a result, four each.
pub(in crate::lanes) struct Machine {
    registers: Vec<Row>,
    constants: Vec<Row>,
    state: u64,
}

/// Where results are.
pub(in crate::lanes) const TO: u32 = 12;

impl Machine {
    pub(in crate::lanes) fn new() -> Self {
        Machine { registers: vec![Row::ZERO; 16], constants: vec![Row::ZERO; 4], state: 0x9e37 }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A value that is likely to be at an edge of some type.
    fn value(&mut self) -> u64 {
        const EDGES: [u64; 24] = [
            0,
            1,
            u64::MAX,
            0x8000_0000_0000_0000,
            0x7fff_ffff_ffff_ffff,
            0x8000_0000_8000_0000,
            0x7fff_ffff_7fff_ffff,
            0x8000_8000_8000_8000,
            0x7f80_0000_7f80_0000,
            0xff80_0000_ff80_0000,
            0x7fc0_1234_7fc0_1234,
            0x0000_0001_0000_0001,
            0x8012_3456_8012_3456,
            0x3f80_0000_3f80_0000,
            0x7c00_fc00_7c00_fc00,
            0x7e01_0001_7e01_0001,
            0x7ff0_0000_0000_0000,
            0xfff8_0000_0000_0001,
            0x3ff8_0000_0000_0000,
            0x4f00_0000_4f00_0000,
            0x4b80_0001_cb00_0001,
            0x0000_0020_0000_0020,
            0x41e0_0000_0000_0000,
            0x0000_001f_0000_003f,
        ];
        let random = self.next();
        match random % 4 {
            0 => EDGES[(random >> 8) as usize % EDGES.len()],
            1 => self.next() & 0xff,
            // Numbers of a moderate size in every format.
            2 => self.next() & 0x8fff_0fff_8fff_8fff | 0x4000_3000_4000_4000,
            _ => self.next(),
        }
    }

    /// Fills the rows of all operands.
    pub(in crate::lanes) fn randomise(&mut self, uniform: bool) {
        for row in (0..16).step_by(2) {
            let mut values: [u64; 32] = std::array::from_fn(|_| self.value());
            if uniform {
                // Both halves are the same, so that the rows are uniform for narrow types as well.
                values = [values[0] & 0xffff_ffff | values[0] << 32; 32];
            }
            self.write::<u64>(row, &values);
        }
        // What narrow registers hold is zero-extended.
        self.registers[TO as usize..].fill(Row([0x55; 32]));
    }

    pub(in crate::lanes) fn rows(&mut self) -> Rows {
        Rows { registers: self.registers.as_mut_ptr(), constants: self.constants.as_ptr() }
    }

    pub(in crate::lanes) fn read<T: crate::lanes::Lane>(&mut self, row: u32) -> [T; 32] {
        assert!(row <= 12);
        // SAFETY: there are 16 rows, and no type needs more than four.
        unsafe { self.rows().read(row) }
    }

    pub(in crate::lanes) fn write<T: crate::lanes::Lane>(&mut self, row: u32, values: &[T; 32]) {
        assert!(row + size_of::<T>() as u32 / 4 <= 16);
        // SAFETY: there are 16 rows.
        unsafe { self.rows().write(row, u32::MAX, values) }
    }

    pub(in crate::lanes) fn run(&mut self, function: LaneFn, operands: &Operands, mask: u32) {
        // SAFETY: operands are numbers of the rows that there are.
        unsafe { function(self.rows(), operands, mask) }
    }
}

pub(in crate::lanes) const OPERANDS: Operands = Operands { to: TO, a: 0, b: 4, c: 8 };

/// The kinds of processors whose code this machine runs.
pub(in crate::lanes) fn kinds() -> Vec<Instructions> {
    match Instructions::detect() {
        Instructions::Portable => vec![Instructions::Portable],
        Instructions::Avx2 => vec![Instructions::Portable, Instructions::Avx2],
        Instructions::Avx512 => {
            vec![Instructions::Portable, Instructions::Avx2, Instructions::Avx512]
        }
    }
}

pub(in crate::lanes) const TYPES: [Type; 30] = [
    Type::B8,
    Type::B16,
    Type::B32,
    Type::B64,
    Type::U8,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::S8,
    Type::S16,
    Type::S32,
    Type::S64,
    Type::F16,
    Type::F32,
    Type::F64,
    Type::Bf16,
    Type::Tf32,
    Type::F16x2,
    Type::Bf16x2,
    Type::U16x2,
    Type::S16x2,
    Type::E4m3x2,
    Type::E5m2x2,
    Type::E2m1x2,
    Type::E2m3x2,
    Type::E3m2x2,
    Type::Ue8m0x2,
    Type::F32x2,
    Type::B128,
    Type::Pred,
];

pub(in crate::lanes) fn modes() -> Vec<Mode> {
    let plain = Mode::default();
    let mut modes = Vec::new();
    let roundings =
        [Rounding::Nearest, Rounding::NearestAway, Rounding::Zero, Rounding::Down, Rounding::Up];
    for rounding in roundings {
        for (flush, saturate) in [(false, false), (true, false), (false, true), (true, true)] {
            modes.push(Mode { rounding, flush, saturate, ..plain });
        }
        for (saturate_finite, relu) in [(true, false), (false, true), (true, true)] {
            modes.push(Mode { rounding, saturate_finite, relu, ..plain });
        }
    }
    for code in 1..8 {
        let (flush, nan, sign) = (code & 1 != 0, code & 2 != 0, code & 4 != 0);
        modes.push(Mode { flush, nan, xorsign_abs: sign, abs: sign, ..plain });
    }
    modes.push(Mode { relu: true, flush: true, ..plain });
    modes.push(Mode { approximate: true, ..plain });
    modes.push(Mode { approximate: true, flush: true, ..plain });
    modes
}

const UNARY: [UnaryOp; 17] = [
    UnaryOp::Neg,
    UnaryOp::Abs,
    UnaryOp::Not,
    UnaryOp::Cnot,
    UnaryOp::Popc,
    UnaryOp::Clz,
    UnaryOp::Brev,
    UnaryOp::Bfind,
    UnaryOp::BfindShift,
    UnaryOp::Sqrt,
    UnaryOp::Rcp,
    UnaryOp::Rsqrt,
    UnaryOp::Sin,
    UnaryOp::Cos,
    UnaryOp::Ex2,
    UnaryOp::Lg2,
    UnaryOp::Tanh,
];

const BINARY: [BinaryOp; 21] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::MulLo,
    BinaryOp::MulHi,
    BinaryOp::MulWide,
    BinaryOp::Mul24Lo,
    BinaryOp::Mul24Hi,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Copysign,
    BinaryOp::BitMaskClamp,
    BinaryOp::BitMaskWrap,
    BinaryOp::ExtendClamp,
    BinaryOp::ExtendWrap,
];

fn ternary() -> Vec<TernaryOp> {
    let mut all = vec![
        TernaryOp::MadLo,
        TernaryOp::MadHi,
        TernaryOp::MadWide,
        TernaryOp::Mad24Lo,
        TernaryOp::Mad24Hi,
        TernaryOp::Fma,
        TernaryOp::Min3,
        TernaryOp::Max3,
        TernaryOp::Sad,
        TernaryOp::Bfe,
        TernaryOp::Fns,
        TernaryOp::ShfLeftClamp,
        TernaryOp::ShfLeftWrap,
        TernaryOp::ShfRightClamp,
        TernaryOp::ShfRightWrap,
        TernaryOp::Prmt(PermuteMode::Index),
        TernaryOp::Prmt(PermuteMode::F4e),
        TernaryOp::Prmt(PermuteMode::B4e),
        TernaryOp::Prmt(PermuteMode::Rc8),
        TernaryOp::Prmt(PermuteMode::Ecl),
        TernaryOp::Prmt(PermuteMode::Ecr),
        TernaryOp::Prmt(PermuteMode::Rc16),
    ];
    for (a_signed, b_signed) in [(false, false), (false, true), (true, false), (true, true)] {
        all.push(TernaryOp::Dp4a { a_signed, b_signed });
        all.push(TernaryOp::Dp2a { a_signed, b_signed, upper: false });
        all.push(TernaryOp::Dp2a { a_signed, b_signed, upper: true });
    }
    all
}

fn register(bits: u8) -> Register {
    Register { number: 0, bits }
}

/// Every operation of one to three operands in every mode, whether or not it exists.
fn operations() -> Vec<Op> {
    let mut all = Vec::new();
    let (to, a) = (register(64), Value::Register(register(64)));
    for ty in TYPES {
        for mode in modes() {
            all.extend(UNARY.map(|op| Op::Unary { op, ty, mode, to, a }));
            all.extend(BINARY.map(|op| Op::Binary { op, ty, mode, to, a, b: a }));
            all.extend(ternary().into_iter().map(|op| Op::Ternary {
                op,
                ty,
                mode,
                to,
                a,
                b: a,
                c: a,
            }));
        }
    }
    for table in 0..=255 {
        let (op, ty, mode) = (TernaryOp::Lop3(table), Type::B32, Mode::default());
        all.push(Op::Ternary { op, ty, mode, to, a, b: a, c: a });
    }
    all
}

/// Runs a function over lanes of every kind on the same rows.
pub(in crate::lanes) fn agree(
    machine: &mut Machine,
    name: &dyn std::fmt::Debug,
    make: impl Fn(Maker) -> Option<LaneFn>,
) -> bool {
    let portable = Maker { instructions: Instructions::Portable, uniform: false };
    let Some(expected) = make(portable) else {
        for instructions in kinds() {
            assert!(make(Maker { instructions, uniform: true }).is_none(), "{name:?}");
        }
        return false;
    };
    for uniform in [false, true] {
        for mask in [u32::MAX, 0x8000_0001, 0x00ff_f0f0] {
            machine.randomise(uniform);
            let before = machine.registers.clone();
            machine.run(expected, &OPERANDS, mask);
            let after = machine.registers.clone();
            for instructions in kinds() {
                let other = make(Maker { instructions, uniform }).expect("it exists elsewhere");
                machine.registers.clone_from(&before);
                machine.run(other, &OPERANDS, mask);
                for (row, (want, got)) in after.iter().zip(&machine.registers).enumerate() {
                    let lane = want.0.iter().zip(&got.0).position(|(want, got)| want != got);
                    assert_eq!(lane, None, "{name:?} {instructions:?} {uniform} row {row}");
                }
            }
        }
    }
    true
}

#[test]
fn every_processor_computes_the_same() {
    let mut machine = Machine::new();
    let mut found = 0;
    for op in operations() {
        let make = |maker| arithmetic::function(maker, &op).map(|(function, _)| function);
        found += usize::from(agree(&mut machine, &op, make));
    }
    assert!(found > 256 + 600, "only {found} operations exist");
}

#[test]
fn lanes_that_are_not_active_keep_their_value_and_results_may_replace_operands() {
    let mut machine = Machine::new();
    let make = |maker: Maker| {
        let mode = Mode::default();
        [
            super::binary(maker, BinaryOp::Sub, Type::U32, &mode).unwrap(),
            super::binary(maker, BinaryOp::Rem, Type::U16, &mode).unwrap(),
        ]
    };
    for instructions in kinds() {
        for uniform in [false, true] {
            for (index, function) in make(Maker { instructions, uniform }).into_iter().enumerate() {
                machine.write(0, &[1000u32; 32]);
                machine.constants[1] = Row([7; 32]);
                let operands = Operands { to: 0, a: 0, b: 1 | CONSTANT, c: 0 };
                machine.run(function, &operands, 0x0000_ff0f);
                let result = [993, 6][index];
                for (lane, value) in machine.read::<u32>(0).into_iter().enumerate() {
                    let active = 0x0000_ff0f_u32 >> lane & 1 != 0;
                    assert_eq!(value, if active { result } else { 1000 }, "lane {lane}");
                }
            }
        }
    }
}

/// The result of an operation on the same operands in all lanes.
fn result(op: &Op, wide_result: bool, a: u64, b: u64, c: u64) -> u64 {
    let maker = Maker { instructions: Instructions::detect(), uniform: false };
    let (function, shape) = arithmetic::function(maker, op).unwrap_or_else(|| panic!("{op:?}"));
    let mut machine = Machine::new();
    for (row, (value, (_, rows))) in [a, b, c].into_iter().zip(&shape.from).enumerate() {
        match rows {
            1 => machine.write(4 * row as u32, &[value as u32; 32]),
            _ => machine.write(4 * row as u32, &[value; 32]),
        }
    }
    machine.run(function, &OPERANDS, u32::MAX);
    if wide_result { machine.read::<u64>(TO)[5] } else { u64::from(machine.read::<u32>(TO)[5]) }
}

fn wide(ty: Type) -> bool {
    ty.bits() > 32
}

fn one(op: UnaryOp, ty: Type, mode: Mode, a: u64) -> u64 {
    let (to, value) = (register(64), Value::Register(register(64)));
    let counts = matches!(op, UnaryOp::Popc | UnaryOp::Clz | UnaryOp::Bfind | UnaryOp::BfindShift);
    result(&Op::Unary { op, ty, mode, to, a: value }, wide(ty) && !counts, a, 0, 0)
}

fn two(op: BinaryOp, ty: Type, mode: Mode, a: u64, b: u64) -> u64 {
    let (to, value) = (register(64), Value::Register(register(64)));
    let wide = wide(ty) || op == BinaryOp::MulWide && ty.bits() == 32;
    result(&Op::Binary { op, ty, mode, to, a: value, b: value }, wide, a, b, 0)
}

fn three(op: TernaryOp, ty: Type, mode: Mode, a: u64, b: u64, c: u64) -> u64 {
    let (to, value) = (register(64), Value::Register(register(64)));
    let wide = wide(ty) || op == TernaryOp::MadWide && ty.bits() == 32;
    result(&Op::Ternary { op, ty, mode, to, a: value, b: value, c: value }, wide, a, b, c)
}

#[test]
fn integers_have_their_edges() {
    let plain = Mode::default();
    let saturate = Mode { saturate: true, ..plain };
    let relu = Mode { relu: true, ..plain };
    assert_eq!(one(UnaryOp::Abs, Type::S16, plain, 0x8000), 0x8000);
    assert_eq!(one(UnaryOp::Neg, Type::S64, plain, 1), u64::MAX);
    assert_eq!(one(UnaryOp::Not, Type::B16, plain, 1), 0xfffe);
    assert_eq!(one(UnaryOp::Cnot, Type::B64, plain, 0), 1);
    assert_eq!(one(UnaryOp::Clz, Type::B64, plain, 1), 63);
    assert_eq!(one(UnaryOp::Popc, Type::B64, plain, u64::MAX), 64);
    assert_eq!(one(UnaryOp::Bfind, Type::S32, plain, 0xffff_ffff), 0xffff_ffff);
    assert_eq!(one(UnaryOp::BfindShift, Type::U64, plain, 1), 63);
    assert_eq!(two(BinaryOp::Add, Type::U16, plain, 0xffff, 2), 1);
    assert_eq!(two(BinaryOp::Add, Type::S32, saturate, 0x7fff_ffff, 2), 0x7fff_ffff);
    assert_eq!(two(BinaryOp::Sub, Type::S32, saturate, 0x8000_0000, 2), 0x8000_0000);
    assert_eq!(two(BinaryOp::Add, Type::U16x2, plain, 0xffff_ffff, 0x0001_0001), 0);
    assert_eq!(two(BinaryOp::Min, Type::S16x2, relu, 0x8000_0005, 0x0001_0007), 5);
    assert_eq!(two(BinaryOp::Max, Type::S32, relu, 0xffff_fffb, 0xffff_ffff), 0);
    assert_eq!(two(BinaryOp::MulWide, Type::S32, plain, 0xffff_ffff, 2), u64::MAX - 1);
    assert_eq!(two(BinaryOp::MulHi, Type::U64, plain, u64::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(two(BinaryOp::Div, Type::U32, plain, 7, 0), 0xffff_ffff);
    assert_eq!(two(BinaryOp::Div, Type::S32, plain, 0x8000_0000, 0xffff_ffff), 0x8000_0000);
    assert_eq!(two(BinaryOp::Rem, Type::S32, plain, 0x8000_0000, 0xffff_ffff), 0);
    assert_eq!(two(BinaryOp::Rem, Type::S32, plain, (-7i32) as u32 as u64, 4), 0xffff_fffd);
    assert_eq!(two(BinaryOp::Shl, Type::B64, plain, 1, 64), 0);
    assert_eq!(two(BinaryOp::Shl, Type::B32, plain, 1, 33), 0);
    assert_eq!(two(BinaryOp::Shr, Type::S16, plain, 0x8000, 400), 0xffff);
    assert_eq!(two(BinaryOp::ExtendClamp, Type::S32, plain, 0x80, 8), 0xffff_ff80);
    assert_eq!(two(BinaryOp::BitMaskClamp, Type::B32, plain, 30, 40), 0xc000_0000);
    assert_eq!(
        three(TernaryOp::MadWide, Type::U16, plain, 0xffff, 0xffff, 0xffff),
        0xfffe_0001 + 0xffff
    );
    assert_eq!(three(TernaryOp::MadWide, Type::U32, plain, 0xffff_ffff, 2, 5), 0x2_0000_0003);
    let large = 0x7fff_ffff;
    assert_eq!(three(TernaryOp::MadHi, Type::S32, saturate, large, large, large), large);
    assert_eq!(three(TernaryOp::Sad, Type::S32, plain, 0xffff_ffff, 1, 3), 5);
    assert_eq!(three(TernaryOp::Bfe, Type::S32, plain, 0x80, 4, 4), 0xffff_fff8);
    assert_eq!(three(TernaryOp::Bfe, Type::U64, plain, u64::MAX, 60, 10), 15);
    assert_eq!(three(TernaryOp::Fns, Type::B32, plain, 0b1011, 0, 3), 3);
    let bytes = TernaryOp::Prmt(PermuteMode::Index);
    assert_eq!(three(bytes, Type::B32, plain, 0x3322_1180, 0x7766_5544, 0x7048), 0x7780_44ff);
    assert_eq!(three(TernaryOp::ShfLeftWrap, Type::B32, plain, 0x8000_0000, 1, 33), 3);
    assert_eq!(three(TernaryOp::ShfRightClamp, Type::B32, plain, 1, 0xabcd, 99), 0xabcd);
    let dot = TernaryOp::Dp4a { a_signed: true, b_signed: false };
    assert_eq!(three(dot, Type::U32, plain, 0xffff_ffff, 0x0101_0101, 10), 6);
    let dot = TernaryOp::Dp2a { a_signed: false, b_signed: true, upper: true };
    assert_eq!(three(dot, Type::U32, plain, 0x0002_0003, 0xff02_0000, 0), 4);
}

#[test]
fn words_are_divided_as_integers() {
    let mut machine = Machine::new();
    for _ in 0..2000 {
        let (a, b) = (machine.value() as u32, machine.value() as u32);
        for (a, b) in [(a, b), (a, a.wrapping_add(1)), (a, a.wrapping_sub(1)), (b, a >> 16)] {
            let quotient = a.checked_div(b).unwrap_or(u32::MAX);
            assert_eq!(super::divide(a, b), quotient, "{a} / {b}");
            assert_eq!(super::remainder(a, b), a.checked_rem(b).unwrap_or(u32::MAX));
            let (a, b) = (a as i32, b as i32);
            let (quotient, rest) =
                if b == 0 { (-1, -1) } else { (a.wrapping_div(b), a.wrapping_rem(b)) };
            assert_eq!(super::divide_signed(a, b), quotient, "{a} / {b}");
            assert_eq!(super::remainder_signed(a, b), rest, "{a} % {b}");
        }
    }
}

#[test]
fn all_tables_of_lop3_are_looked_up() {
    for table in 0..=255u8 {
        // Each bit of the words is one of the eight combinations.
        let (a, b, c) = (0xf0f0_f0f0, 0xcccc_cccc, 0xaaaa_aaaa);
        let expected = u64::from(table) * 0x0101_0101;
        let op = TernaryOp::Lop3(table);
        assert_eq!(three(op, Type::B32, Mode::default(), a, b, c), expected, "{table:#x}");
    }
}

#[test]
fn floats_follow_their_modes() {
    let plain = Mode::default();
    let flush = Mode { flush: true, ..plain };
    let bits = |value: f32| u64::from(value.to_bits());
    let tiny = 1e-40f32;
    assert_eq!(two(BinaryOp::Add, Type::F32, plain, bits(tiny), 0), bits(tiny));
    assert_eq!(two(BinaryOp::Add, Type::F32, flush, bits(tiny), 0), 0);
    let infinity = bits(f32::INFINITY);
    assert_eq!(two(BinaryOp::Sub, Type::F32, plain, infinity, infinity), 0x7fff_ffff);
    let saturate = Mode { saturate: true, ..plain };
    assert_eq!(two(BinaryOp::MulLo, Type::F32, saturate, bits(3.0), bits(2.0)), bits(1.0));
    for (rounding, expected) in [
        (Rounding::Nearest, 0x3f80_0000),
        (Rounding::Zero, 0x3f80_0000),
        (Rounding::Down, 0x3f80_0000),
        (Rounding::Up, 0x3f80_0001),
    ] {
        let mode = Mode { rounding, ..plain };
        let small = bits(1e-10);
        assert_eq!(two(BinaryOp::Add, Type::F32, mode, bits(1.0), small), expected);
        assert_eq!(three(TernaryOp::Fma, Type::F32, mode, bits(1.0), bits(1.0), small), expected);
        let wide = two(BinaryOp::Add, Type::F64, mode, 1f64.to_bits(), 1e-30f64.to_bits());
        assert_eq!(wide - 1f64.to_bits(), u64::from(expected as u32 & 1));
        let pair = two(BinaryOp::Add, Type::F32x2, mode, bits(1.0) << 32, small << 32);
        assert_eq!(pair, u64::from(expected as u32) << 32);
    }
    assert_eq!(two(BinaryOp::Min, Type::F32, plain, 0x7fc0_0000, bits(2.0)), bits(2.0));
    let nan = Mode { nan: true, ..plain };
    assert_eq!(two(BinaryOp::Min, Type::F32, nan, 0x7fc0_0000, bits(2.0)), 0x7fff_ffff);
    let signs = Mode { xorsign_abs: true, ..plain };
    assert_eq!(two(BinaryOp::Max, Type::F32, signs, bits(-3.0), bits(2.0)), bits(-3.0));
    assert_eq!(two(BinaryOp::Copysign, Type::F32, plain, bits(-3.0), bits(2.0)), bits(-2.0));
    assert_eq!(one(UnaryOp::Neg, Type::F64, plain, 0), 1 << 63);
    assert_eq!(one(UnaryOp::Sqrt, Type::F32, plain, bits(4.0)), bits(2.0));
    let up = Mode { rounding: Rounding::Up, ..plain };
    assert_eq!(one(UnaryOp::Rcp, Type::F32, up, bits(3.0)), 0x3eaa_aaab);
    let down = Mode { rounding: Rounding::Down, ..plain };
    assert_eq!(one(UnaryOp::Rcp, Type::F32, down, bits(3.0)), 0x3eaa_aaaa);
    assert_eq!(one(UnaryOp::Ex2, Type::F32, plain, bits(3.0)), bits(8.0));
    let largest = Mode { abs: true, ..plain };
    let three_of = three(TernaryOp::Max3, Type::F32, largest, bits(-3.0), bits(2.0), bits(1.0));
    assert_eq!(three_of, bits(3.0));
}

#[test]
fn halves_follow_their_modes() {
    let plain = Mode::default();
    // 1 + 2 in the lower part, 1 - 1 in the upper one.
    assert_eq!(two(BinaryOp::Add, Type::F16x2, plain, 0x3c00_3c00, 0xbc00_4000), 0x4200);
    assert_eq!(two(BinaryOp::Add, Type::Bf16x2, plain, 0x3f80_3f80, 0xbf80_4000), 0x4040);
    assert_eq!(two(BinaryOp::MulLo, Type::F16, plain, 0x7bff, 0x4000), 0x7c00);
    let flush = Mode { flush: true, ..plain };
    assert_eq!(two(BinaryOp::Add, Type::F16, flush, 1, 0), 0);
    assert_eq!(two(BinaryOp::Add, Type::F16, plain, 1, 0), 1);
    let relu = Mode { relu: true, ..plain };
    assert_eq!(three(TernaryOp::Fma, Type::Bf16, relu, 0x3f80, 0xbf80, 0), 0);
    assert_eq!(three(TernaryOp::Fma, Type::F16x2, relu, 0xbc00_3c00, 0x3c00_3c00, 0), 0x3c00);
    let nan = Mode { nan: true, ..plain };
    assert_eq!(two(BinaryOp::Max, Type::F16, nan, 0x7e00, 0x3c00), 0x7fff);
    assert_eq!(two(BinaryOp::Max, Type::F16, plain, 0x7e00, 0x3c00), 0x3c00);
    assert_eq!(one(UnaryOp::Neg, Type::Bf16x2, plain, 0x3f80_bf80), 0xbf80_3f80);
    assert_eq!(one(UnaryOp::Ex2, Type::F16x2, plain, 0x4000_0000), 0x4400_3c00);
}

#[test]
fn what_ptx_does_not_have_has_no_function() {
    let maker = Maker { instructions: Instructions::Portable, uniform: false };
    let plain = Mode::default();
    let saturate = Mode { saturate: true, ..plain };
    assert!(super::binary(maker, BinaryOp::Add, Type::U32, &saturate).is_none());
    assert!(super::binary(maker, BinaryOp::Add, Type::B32, &plain).is_none());
    assert!(super::binary(maker, BinaryOp::Shl, Type::S32, &plain).is_none());
    assert!(super::unary(maker, UnaryOp::Popc, Type::U16).is_none());
    assert!(super::ternary(maker, TernaryOp::Bfe, Type::U16, &plain).is_none());
}

#[test]
fn comparisons_of_rows_are_those_of_single_values() {
    use crate::lanes::compare;
    use warpsan_ir::Compare::*;
    let all = [
        Eq,
        Ne,
        Lt,
        Le,
        Gt,
        Ge,
        EqUnordered,
        NeUnordered,
        LtUnordered,
        LeUnordered,
        GtUnordered,
        GeUnordered,
        Num,
        Nan,
    ];
    let mut machine = Machine::new();
    let mut found = 0;
    for (ty, comparison) in TYPES.into_iter().flat_map(|ty| all.map(|one| (ty, one))) {
        for (instructions, flush) in kinds().into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            let maker = Maker { instructions, uniform: false };
            let Some(test) = compare::test(maker, comparison, ty, flush) else { continue };
            found += 1;
            machine.randomise(false);
            // Some lanes are equal.
            let mut wide = machine.read::<u64>(4);
            wide[..8].copy_from_slice(&machine.read::<u64>(0)[..8]);
            machine.write(4, &wide);
            // SAFETY: the operands are rows of the machine.
            let truths = unsafe { test(machine.rows(), &OPERANDS) };
            for lane in 0..32 {
                let [a, b] = [0, 4].map(|row| match ty.bits() {
                    64 => machine.read::<u64>(row)[lane],
                    _ => u64::from(machine.read::<u32>(row)[lane]),
                });
                let expected = compare::one(comparison, ty, flush, a, b);
                let what = (comparison, ty, flush, instructions);
                assert_eq!(truths >> lane & 1 != 0, expected, "{what:?} {a:#x} {b:#x}");
            }
        }
    }
    assert!(found > 200, "only {found}");
    let nan = u64::from(f32::NAN.to_bits());
    assert!(!compare::one(Ne, Type::F32, false, nan, 0));
    assert!(compare::one(EqUnordered, Type::F32, false, nan, 0));
    assert!(compare::one(Eq, Type::F32, true, 1, 0) && !compare::one(Eq, Type::F32, false, 1, 0));
}
