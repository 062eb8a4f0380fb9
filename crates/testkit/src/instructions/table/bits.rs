//! Manual, sections 9.7.1, 9.7.8 and 9.7.9: bit fields, logic, shifts, permutations of bytes, packing.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

pub(super) fn forms() -> Vec<Form> {
    let mut list = Vec::new();
    for (name, value) in [("b32", U32), ("b64", U64)] {
        for opcode in ["popc", "clz"] {
            list.push(Form::new(format!("{opcode}.{name}"), &[value], U32));
        }
        list.push(Form::new(format!("brev.{name}"), &[value], value));
        list.push(Form::new(format!("bfi.{name}"), &[value, value, Small, Small], value));
    }
    for (name, value) in [("u32", U32), ("s32", S32), ("u64", U64), ("s64", S64)] {
        list.push(Form::new(format!("bfe.{name}"), &[value, Small, Small], value));
        for amount in ["", ".shiftamt"] {
            list.push(Form::new(format!("bfind{amount}.{name}"), &[value], U32));
        }
    }
    list.push(Form::new("fns.b32", &[U32, Small, Small], U32));
    list.push(Form::of_code(
        "fns.b32 (backwards)",
        "neg.s32 c, c;\nfns.b32 d, a, b, c;",
        &[U32, Small, Small],
        &[U32],
    ));
    for mode in ["clamp", "wrap"] {
        for name in ["u32", "s32"] {
            list.push(Form::new(format!("szext.{mode}.{name}"), &[U32, Small], U32));
        }
        list.push(Form::new(format!("bmsk.{mode}.b32"), &[Small, Small], U32));
        for direction in ["l", "r"] {
            list.push(Form::new(format!("shf.{direction}.{mode}.b32"), &[U32, U32, Small], U32));
        }
    }
    list.extend(logic());
    list.extend(shifts());
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        list.push(Form::new(format!("prmt.b32{mode}"), &[U32, U32, U8x4], U32));
    }
    list.extend(packing());
    list
}

fn logic() -> Vec<Form> {
    let mut list = Vec::new();
    let types = [("pred", Predicate), ("b16", U16), ("b32", U32), ("b64", U64)];
    for (name, value) in types {
        for opcode in ["and", "or", "xor"] {
            list.push(Form::new(format!("{opcode}.{name}"), &[value; 2], value));
        }
        list.push(Form::new(format!("not.{name}"), &[value], value));
        if value != Predicate {
            list.push(Form::new(format!("cnot.{name}"), &[value], value));
        }
    }
    for table in [
        0x00, 0x01, 0x17, 0x1b, 0x2a, 0x3c, 0x5a, 0x69, 0x80, 0x96, 0xca, 0xd8, 0xe8, 0xf8, 0xfe,
        0xff,
    ] {
        let code = format!("lop3.b32 d, a, b, c, {table:#x};");
        list.push(Form::of_code(format!("lop3.b32 (table {table:#x})"), code, &[U32; 3], &[U32]));
    }
    for combine in ["and", "or"] {
        for table in [0x80, 0x96, 0xea] {
            let code = format!("lop3.{combine}.b32 d|e, a, b, c, {table:#x}, f;");
            let name = format!("lop3.{combine}.b32 (table {table:#x})");
            list.push(Form::of_code(name, code, &[U32, U32, U32, Predicate], &[U32, Predicate]));
        }
    }
    list
}

fn shifts() -> Vec<Form> {
    let types: [(&str, ValueType); 9] = [
        ("b16", U16),
        ("b32", U32),
        ("b64", U64),
        ("u16", U16),
        ("u32", U32),
        ("u64", U64),
        ("s16", S16),
        ("s32", S32),
        ("s64", S64),
    ];
    let mut list = Vec::new();
    for (name, value) in types {
        if name.starts_with('b') {
            list.push(Form::new(format!("shl.{name}"), &[value, Small], value));
        }
        list.push(Form::new(format!("shr.{name}"), &[value, Small], value));
    }
    list
}

fn packing() -> Vec<Form> {
    vec![
        Form::of_code("mov.b32 (pack two)", "mov.b32 d, {a, b};", &[U16; 2], &[U32]),
        Form::of_code("mov.b64 (pack two)", "mov.b64 d, {a, b};", &[U32; 2], &[U64]),
        Form::of_code("mov.b64 (pack four)", "mov.b64 d, {a, b, c, f};", &[U16; 4], &[U64]),
        Form::of_code("mov.b32 (unpack two)", "mov.b32 {d, e}, a;", &[U32], &[U16; 2]),
        Form::of_code("mov.b64 (unpack two)", "mov.b64 {d, e}, a;", &[U64], &[U32; 2]),
        Form::of_code(
            "mov.b64 (unpack four, first two)",
            "mov.b64 {d, e, _, _}, a;",
            &[U64],
            &[U16; 2],
        ),
        Form::of_code(
            "mov.b64 (unpack four, last two)",
            "mov.b64 {_, _, d, e}, a;",
            &[U64],
            &[U16; 2],
        ),
        Form::of_code(
            "mov.b128 (pack and unpack)",
            "{ .reg .b128 wide;\nmov.b128 wide, {a, b};\nmov.b128 {e, d}, wide; }",
            &[U64; 2],
            &[U64; 2],
        ),
        Form::of_code("mov.pred", "mov.pred d, a;", &[Predicate], &[Predicate]),
    ]
}
