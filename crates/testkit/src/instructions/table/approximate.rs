//! Manual, section 9.7.3: approximations, each with the bound that the manual gives.

use crate::instructions::ValueType::{self, *};
use crate::instructions::{Form, Rule};

/// The distance of subnormal numbers in single precision: what one ulp is below the normal numbers.
const SMALLEST: f64 = 1.401_298_464_324_817e-45;

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for (flush, absolute) in [("", 2.0 * SMALLEST), (".ftz", f64::from(f32::MIN_POSITIVE))] {
        let near = |ulps: f64| Rule::Near { relative: ulps * 2f64.powi(-23), absolute };
        let unary = |opcode: &str, value: ValueType, rule: Rule| {
            Form::new(format!("{opcode}.approx{flush}.f32"), &[value], F32).with_rule(rule)
        };
        list.push(Form::new(format!("div.approx{flush}.f32"), &[F32; 2], F32).with_rule(near(2.0)));
        list.push(Form::new(format!("div.full{flush}.f32"), &[F32; 2], F32).with_rule(near(2.0)));
        list.push(unary("rcp", F32, near(1.0)));
        list.push(unary("sqrt", F32, near(1.0)));
        list.push(unary("rsqrt", F32, near(2f64.powf(0.1))));
        list.push(unary("ex2", F32, near(2.0)));
        let logarithm = Rule::Near { relative: 2f64.powi(-22), absolute: 2f64.powi(-22) };
        list.push(unary("lg2", F32, logarithm));
        for opcode in ["sin", "cos"] {
            let bound = |absolute| Rule::Near { relative: 0.0, absolute };
            let named = |remark: &str, value, absolute| {
                let form = unary(opcode, value, bound(absolute));
                Form { name: format!("{} ({remark})", form.name), ..form }
            };
            list.push(named("one turn", Angle, 2f64.powf(-20.5)));
            list.push(named("50 turns", WideAngle, 2f64.powf(-14.7)));
            // Further out nothing is promised but a sine; what infinities and NaNs give is.
            list.push(named("any", F32, 1.0));
        }
    }
    let tanh = Rule::Near { relative: 2f64.powi(-11), absolute: 2.0 * SMALLEST };
    list.push(Form::new("tanh.approx.f32", &[F32], F32).with_rule(tanh));
    // These have 20 bits of fraction; the manual gives no bound, so it is the last of them.
    let gross = Rule::Near { relative: 2f64.powi(-19), absolute: 0.0 };
    list.push(Form::new("rcp.approx.ftz.f64", &[F64], F64).with_rule(gross));
    list.push(Form::new("rsqrt.approx.ftz.f64", &[F64], F64).with_rule(gross));
    let fine = Rule::Near { relative: 2f64.powi(-51), absolute: 0.0 };
    list.push(Form::new("rsqrt.approx.f64", &[F64], F64).with_rule(fine));
    list
}
