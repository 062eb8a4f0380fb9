//! The edges of floating-point formats. Those that matter most come first.

/// Single precision.
pub(super) fn single() -> Vec<u64> {
    let mut list: Vec<u32> = vec![
        0,
        0x8000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x0000_0001,
        0x807f_ffff,
        0x7f7f_ffff,
        0x7f80_0001,
        0x0080_0000,
        0xff7f_ffff,
        0xffc0_1234,
        0x7fff_ffff,
        0x8000_0001,
        0x007f_ffff,
        0x8080_0000,
        0xffbf_ffff,
        0x0040_0000,
        0x0080_0001,
        0x3f80_0001,
        0x3f7f_ffff,
        0xbf80_0001,
        0x00ff_ffff,
        0x7e80_0000,
        0x7f00_0000,
        0x7e80_0001,
    ];
    // Ties and their neighbours: to tf32 and half precision, and to bf16.
    list.extend([0x3f80_1000, 0x3f80_3000, 0x3f80_0fff, 0x3f80_1001, 0xbf80_1000, 0x477f_f000]);
    list.extend([0x3f80_8000, 0x3f81_8000, 0x3f80_7fff, 0x3f80_8001, 0x7f7f_8000, 0x7f7f_7fff]);
    list.extend([0x477f_efff, 0x477f_e000, 0x3300_0000, 0x3300_0001, 0x3380_0000, 0x387f_c000]);
    list.extend([0x3880_0000, 0x387f_e000, 0x0000_8000, 0x0001_8000, 0x7f7f_f000, 0x7f7f_efff]);
    let numbers: [f32; 61] = [
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        3.5,
        2.0,
        -2.0,
        3.0,
        0.25,
        0.75,
        10.0,
        -0.4999,
        0.500_001,
        100.0,
        1e-3,
        std::f32::consts::PI,
        -std::f32::consts::FRAC_PI_2,
        6.283_185_5,
        300.0,
        -300.0,
        126.0,
        127.0,
        127.5,
        127.99,
        128.0,
        -126.0,
        -126.5,
        -149.0,
        -149.5,
        -150.0,
        -128.5,
        -129.0,
        255.0,
        255.5,
        256.0,
        32_767.0,
        32_767.5,
        32_768.0,
        -32_768.5,
        -32_769.0,
        65_535.0,
        65_535.5,
        65_536.0,
        8_388_607.5,
        8_388_608.0,
        4_194_303.5,
        16_777_216.0,
        448.0,
        464.0,
        480.0,
        57_344.0,
        61_440.0,
        0.001_953_125,
        0.000_976_562_5,
        1.525_878_9e-5,
        7.629_394_5e-6,
        3e9,
        -3e9,
        1e20,
    ];
    list.extend(numbers.map(f32::to_bits));
    let limits: [f32; 8] =
        [2f32.powi(31), 2f32.powi(32), 2f32.powi(63), 2f32.powi(64), 1e30, 1e-30, 1e-38, 1e38];
    for limit in limits {
        let bits = limit.to_bits();
        list.extend([bits, bits - 1, bits | 0x8000_0000, (bits + 1) | 0x8000_0000]);
    }
    list.into_iter().map(u64::from).collect()
}

/// Double precision.
pub(super) fn double() -> Vec<u64> {
    let mut list: Vec<u64> = vec![
        0,
        1 << 63,
        0x7ff0 << 48,
        0xfff0 << 48,
        0x7ff8 << 48,
        0x3ff0 << 48,
        0xbff0 << 48,
        1,
        0x800f_ffff_ffff_ffff,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0001,
        0x0010 << 48,
        0xffef_ffff_ffff_ffff,
        0xfff8_0000_0000_1234,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0001,
        0x000f_ffff_ffff_ffff,
        0x8010 << 48,
        0xfff7_ffff_ffff_ffff,
        0x0008 << 48,
        0x3ff0_0000_0000_0001,
        0x3fef_ffff_ffff_ffff,
        0x7ff0_0000_ffff_ffff,
        0x000f_ffff_0000_0000,
        0x0000_0000_ffff_ffff,
        0x001f_ffff_ffff_ffff,
        0x7fd0 << 48,
        0x7fe0 << 48,
    ];
    // Ties and their neighbours: to single and to half precision, and to bf16.
    list.extend([0x3ff0_0000_1000_0000, 0x3ff0_0000_3000_0000, 0x3ff0_0000_1000_0001]);
    list.extend([0x3ff0_0000_0fff_ffff, 0xbff0_0000_1000_0000, 0x3ff0_0200_0000_0000]);
    list.extend([0x3ff0_0600_0000_0000, 0x3ff0_0200_0000_0001, 0x3ff0_1000_0000_0000]);
    list.extend([0x3ff0_3000_0000_0000, 0x40ef_fe00_0000_0000, 0x40ef_fdff_ffff_ffff]);
    // Around the limits of single precision: its largest number, its smallest normal, its smallest.
    list.extend([
        0x47ef_ffff_e000_0000,
        0x47ef_ffff_f000_0000,
        0x47ef_ffff_efff_ffff,
        0x47f0 << 48,
    ]);
    list.extend([0x3810 << 48, 0x380f_ffff_ffff_ffff, 0x380f_ffff_e000_0000, 0x36a0 << 48]);
    list.extend([0x3690 << 48, 0x3690_0000_0000_0001, 0xb690 << 48, 0x36b8 << 48, 0x3f10 << 48]);
    let numbers: [f64; 44] = [
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        3.5,
        2.0,
        -2.0,
        3.0,
        0.25,
        0.75,
        10.0,
        -0.4999,
        0.1,
        100.0,
        1e-3,
        std::f64::consts::PI,
        127.5,
        128.0,
        128.5,
        -128.5,
        -129.0,
        255.0,
        255.5,
        256.0,
        32_767.5,
        -32_768.5,
        65_535.5,
        65_519.9,
        65_520.0,
        2_147_483_647.0,
        2_147_483_647.5,
        2_147_483_648.0,
        -2_147_483_648.5,
        -2_147_483_649.0,
        4_294_967_295.0,
        4_294_967_295.5,
        4_294_967_296.0,
        1e300,
        1e-300,
        5e-8,
        -1e30,
        4_503_599_627_370_495.5,
    ];
    list.extend(numbers.map(f64::to_bits));
    for power in [52, 53, 63, 64] {
        let bits = 2f64.powi(power).to_bits();
        list.extend([bits, bits - 1, bits + 1, bits | 1 << 63, (bits + 1) | 1 << 63]);
    }
    list
}

/// A 16-bit format with so many bits of exponent and fraction.
pub(super) fn half(exponent_bits: u32, fraction_bits: u32) -> Vec<u64> {
    let infinity = ((1u64 << exponent_bits) - 1) << fraction_bits;
    let one = ((1u64 << (exponent_bits - 1)) - 1) << fraction_bits;
    let step = 1u64 << fraction_bits;
    let quiet = step / 2;
    let positive = [
        0,
        infinity,
        infinity | quiet,
        one,
        1,
        infinity - 1,
        step,
        infinity | 1,
        step - 1,
        0x7fff,
        one + 1,
        one - 1,
        one + step,
        one - step,
        one + step / 2,
        step + 1,
        quiet,
        one + step + step / 4,
        one + 2 * step,
        infinity | quiet | 0x12,
        infinity - step,
        one + 3 * step + 1,
        one + 7 * step,
        one + 8 * step - 1,
        one + 2 * step + 3,
        one - 3 * step + 5,
    ];
    positive.iter().flat_map(|bits| [*bits, bits | 0x8000]).collect()
}
