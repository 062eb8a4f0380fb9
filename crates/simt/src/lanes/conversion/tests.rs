use super::scalar::{convert, convert_pair};
use super::{function, pair};
use crate::lanes::integers::tests::{Machine, OPERANDS, TO, TYPES, agree, modes};
use crate::lanes::{Instructions, Maker};
use warpsan_ir::{Mode, Rounding, Type};

/// Widths of registers that a value of a type may be in.
fn registers(ty: Type) -> Vec<u8> {
    [16, 32, 64].into_iter().filter(|bits| u32::from(*bits) >= ty.bits()).collect()
}

#[test]
fn functions_over_lanes_convert_as_single_values_do() {
    let mut machine = Machine::new();
    let maker = Maker { instructions: Instructions::detect(), uniform: false };
    let mut found = 0;
    let forms = TYPES.iter().flat_map(|from| TYPES.iter().map(move |to| (*from, *to)));
    for (from, to) in forms {
        for (mode, integral) in modes().iter().flat_map(|mode| [(mode, false), (mode, true)]) {
            for (from_bits, to_bits) in registers(from)
                .into_iter()
                .flat_map(|from| registers(to).into_iter().map(move |to| (from, to)))
            {
                let rows = if from_bits > 32 { 2 } else { 1 };
                let make = |maker| function(maker, (from, to), mode, integral, (rows, to_bits));
                let name = (from, to, mode, integral, from_bits, to_bits);
                if !agree(&mut machine, &name, make) {
                    continue;
                }
                found += 1;
                machine.randomise(false);
                machine.run(make(maker).unwrap(), &OPERANDS, u32::MAX);
                for lane in 0..32 {
                    let bits = match rows {
                        1 => u64::from(machine.read::<u32>(0)[lane]),
                        _ => machine.read::<u64>(0)[lane],
                    };
                    let expected = convert((from, to), mode, integral, bits).expect("one by one");
                    let got = match to_bits {
                        64 => machine.read::<u64>(TO)[lane],
                        _ => u64::from(machine.read::<u32>(TO)[lane]),
                    };
                    let expected = expected & u64::MAX >> (64 - to_bits);
                    assert_eq!(got, expected, "{name:?} of {bits:#x}");
                }
            }
        }
        for mode in modes() {
            let make = |maker| pair(maker, from, to, &mode);
            if agree(&mut machine, &("pair", from, to, mode), make) {
                machine.randomise(false);
                machine.run(make(maker).unwrap(), &OPERANDS, u32::MAX);
                for lane in 0..32 {
                    let [high, low] = [0, 4].map(|row| u64::from(machine.read::<u32>(row)[lane]));
                    let expected = convert_pair(from, to, &mode, (high, low));
                    assert_eq!(Some(u64::from(machine.read::<u32>(TO)[lane])), expected);
                }
            }
        }
    }
    assert!(found > 400, "only {found} conversions have functions");
}

fn one(from: Type, to: Type, mode: Mode, integral: bool, bits: u64) -> u64 {
    convert((from, to), &mode, integral, bits).expect("the conversion exists")
}

#[test]
fn integers_are_extended_and_saturated() {
    let plain = Mode::default();
    let saturate = Mode { saturate: true, ..plain };
    assert_eq!(one(Type::S8, Type::S32, plain, false, 0x1234_5680), (-128i64) as u64);
    assert_eq!(one(Type::S8, Type::U32, plain, false, 0x80), 0xffff_ff80);
    assert_eq!(one(Type::U8, Type::S8, plain, false, 0x80), (-128i64) as u64);
    assert_eq!(one(Type::S32, Type::U8, saturate, false, 0xffff_ffff), 0);
    assert_eq!(one(Type::S32, Type::U8, saturate, false, 300), 255);
    assert_eq!(one(Type::U64, Type::S32, saturate, false, u64::MAX), 0x7fff_ffff);
    assert_eq!(one(Type::S64, Type::U64, saturate, false, u64::MAX), 0);
}

#[test]
fn numbers_are_rounded_as_asked() {
    let plain = Mode::default();
    let up = Mode { rounding: Rounding::Up, ..plain };
    let zero = Mode { rounding: Rounding::Zero, ..plain };
    let single = |value: f32| u64::from(value.to_bits());
    assert_eq!(one(Type::F32, Type::S32, zero, true, single(-1.5)), u64::MAX);
    assert_eq!(one(Type::F32, Type::S32, up, true, single(1e20)), 0x7fff_ffff);
    assert_eq!(one(Type::F32, Type::U8, zero, true, single(256.0)), 255);
    assert_eq!(one(Type::F32, Type::S64, zero, true, 0x7fc0_0000), 1 << 63);
    assert_eq!(one(Type::F64, Type::S32, zero, true, f64::NAN.to_bits()), -(1i64 << 31) as u64);
    assert_eq!(one(Type::U32, Type::F32, up, false, 0x0100_0001), single(16_777_218.0));
    assert_eq!(
        one(Type::U64, Type::F64, up, false, (1 << 53) + 1),
        ((1u64 << 53) as f64 + 2.0).to_bits()
    );
    assert_eq!(one(Type::F64, Type::F32, up, false, 1.000_000_001f64.to_bits()), 0x3f80_0001);
    assert_eq!(one(Type::F32, Type::F16, plain, false, single(1e6)), 0x7c00);
    let finite = Mode { saturate_finite: true, ..plain };
    assert_eq!(one(Type::F32, Type::F16, finite, false, single(1e6)), 0x7bff);
    let relu = Mode { relu: true, ..plain };
    assert_eq!(one(Type::F32, Type::Bf16, relu, false, single(-2.0)), 0);
    assert_eq!(one(Type::F16, Type::F16, up, true, 0x3c01), 0x4000);
    assert_eq!(one(Type::F16, Type::F64, plain, false, 0x3c00), 1f64.to_bits());
    let away = Mode { rounding: Rounding::NearestAway, ..plain };
    assert_eq!(one(Type::F32, Type::Tf32, away, false, 0x3f80_1000), 0x3f80_2000);
    assert_eq!(one(Type::F32, Type::Tf32, plain, false, 0x3f80_1000), 0x3f80_0000);
    assert_eq!(one(Type::E4m3x2, Type::F16x2, plain, false, 0x3840), 0x3c00_4000);
    assert_eq!(one(Type::F16x2, Type::E4m3x2, finite, false, 0x3c00_4000), 0x3840);
    let both = (single(1.0), single(-2.0));
    assert_eq!(convert_pair(Type::F32, Type::E2m1x2, &finite, both), Some(0x2c));
    assert_eq!(convert_pair(Type::F32, Type::F16x2, &relu, both), Some(0x3c00_0000));
    assert_eq!(convert((Type::F16x2, Type::F32), &plain, false, 0), None);
}
