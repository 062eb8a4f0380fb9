//! Floating point, half precision and mixed precision, sections 9.7.3 to 9.7.5: the instructions
//! that integers do not have.

super::instruction_rows! {
    "testp" "9.7.3.1" "sm_50"
        "finite infinite number notanumber normal subnormal <type>"
        "=p, a" "testp.finite.f32 %p1, %f1"
    "copysign" "9.7.3.2" "sm_50" "<type>" "=d, a, b" "copysign.f32 %f1, %f2, %f3"
    "fma" "9.7.3.6, 9.7.4.4, 9.7.5.3" "sm_50"
        "<rounding> ftz sat relu oob <type>" "=d, a, b, c" "fma.rn.f32 %f1, %f2, %f3, %f4"
    "rcp" "9.7.3.13, 9.7.3.14" "sm_50"
        "approx <rounding> ftz <type>" "=d, a" "rcp.rn.f32 %f1, %f2"
    "sqrt" "9.7.3.15" "sm_50" "approx <rounding> ftz <type>" "=d, a" "sqrt.rn.f32 %f1, %f2"
    "rsqrt" "9.7.3.16, 9.7.3.17" "sm_50" "approx ftz <type>" "=d, a" "rsqrt.approx.f32 %f1, %f2"
    "sin" "9.7.3.18" "sm_50" "approx ftz <type>" "=d, a" "sin.approx.f32 %f1, %f2"
    "cos" "9.7.3.19" "sm_50" "approx ftz <type>" "=d, a" "cos.approx.f32 %f1, %f2"
    "lg2" "9.7.3.20" "sm_50" "approx ftz <type>" "=d, a" "lg2.approx.f32 %f1, %f2"
    "ex2" "9.7.3.21, 9.7.4.10" "sm_50" "approx ftz <type>" "=d, a" "ex2.approx.f32 %f1, %f2"
    "tanh" "9.7.3.22, 9.7.4.9" "sm_75" "approx <type>" "=d, a" "tanh.approx.f32 %f1, %f2"
}
