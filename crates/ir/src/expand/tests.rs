//! Calls that are expanded, subroutines, and the frames of their instructions.

use crate::{
    CallCopy, CallTarget, Kernel, LowerError, MemorySpace, ModuleIndex, Op, SubroutineCall,
    SymbolTable, SystemFunction, Value,
};
use warpsan_ptx::Document;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn lower(text: &str) -> Result<Kernel, LowerError> {
    let document = Document::parse(format!("{HEAD}{text}"));
    assert_eq!(document.errors(), [], "{text}");
    let index = ModuleIndex::of(&document);
    let mut symbols = SymbolTable::new();
    for variable in crate::module_variables(&index).unwrap() {
        symbols.insert(variable.name, 0x1000);
    }
    crate::kernel(&index, &symbols, "k")
}

fn calls(kernel: &Kernel) -> Vec<(usize, &SubroutineCall)> {
    let calls = kernel.code.iter().enumerate().filter_map(|(at, instruction)| {
        let Op::CallSubroutine(call) = &instruction.op else { return None };
        assert_eq!(instruction.guard, None);
        Some((at, &**call))
    });
    calls.collect()
}

const RECURSIVE: &str = ".func (.param .b64 out) sum(.param .b32 n, .param .b64 p)\n{\n\
    .reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n.local .align 8 .b8 mine[24];\n\
    ld.param.u32 %r1, [n];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra END;\nmov.u64 %rd1, mine;\n\
    cvta.local.u64 %rd2, mine;\n{ .param .b64 r; .param .b32 a; .param .b64 b;\n\
    st.param.b32 [a], %r1;\nst.param.b64 [b], %rd2;\ncall (r), sum, (a, b);\nld.param.b64 %rd3, [r]; }\n\
    st.param.b64 [out], %rd3;\nret;\nEND:\nst.param.b64 [out], 7;\nret;\n}\n\
    .func helper()\n{\n.reg .b32 %r<10>;\n.param .b64 r; .param .b32 a; .param .b64 b;\n\
    call (r), sum, (a, b);\nret;\n}\n\
    .entry k()\n{\n.reg .b32 %r<5>;\n.reg .pred %p<3>;\n@!%p1 call helper;\nret;\n}\n";

#[test]
fn a_recursive_function_is_called_and_its_callers_are_expanded() {
    let kernel = lower(RECURSIVE).unwrap();
    let [subroutine] = &kernel.subroutines[..] else { panic!("{:?}", kernel.subroutines) };
    assert_eq!((subroutine.name.as_str(), subroutine.end as usize), ("sum", kernel.code.len()));
    let calls = calls(&kernel);
    let [(outer, first), (inner, second)] = calls[..] else { panic!() };
    let entry = subroutine.entry as usize;
    assert!(outer < entry && inner > entry);
    assert!(matches!(kernel.code[entry - 1].op, Op::Exit));
    // The guard of the call became a jump over it, and the call itself has none.
    assert!(matches!(kernel.code[0].op, Op::Branch { target, .. } if target as usize == outer + 1));
    assert_eq!(kernel.code[0].guard.map(|(_, negated)| negated), Some(false));
    assert_eq!(first.target, CallTarget::Subroutine(0));
    assert_eq!((first.registers, first.frame), (15, 32), "those of k and of helper");
    assert_eq!(kernel.registers, 15);
    assert_eq!(kernel.local_bytes, 32);
    assert_eq!(subroutine.registers, 7);
    // Result, parameters, own variables.
    assert_eq!(
        second.results.iter().chain(&second.arguments).map(|copy| copy.callee).collect::<Vec<_>>(),
        [0, 8, 16]
    );
    assert_eq!(second.results, [CallCopy { caller: 56, callee: 0, bytes: 8 }]);
    assert_eq!(subroutine.frame_bytes, 80);
    assert_eq!(second.frame, 80);
}

#[test]
fn a_subroutine_counts_from_its_frame_and_has_one_end() {
    let kernel = lower(RECURSIVE).unwrap();
    let body = &kernel.code[kernel.subroutines[0].entry as usize..];
    let places: Vec<_> = body
        .iter()
        .filter_map(|instruction| match &instruction.op {
            Op::Load { space, offset, .. } | Op::Store { space, offset, .. } => {
                Some((*space, *offset))
            }
            Op::FrameAddress { offset, generic, .. } => {
                let space = if *generic { MemorySpace::Generic } else { MemorySpace::Local };
                Some((space, *offset as i64))
            }
            _ => None,
        })
        .collect();
    use MemorySpace::{Frame, Generic, Local};
    let expected = [
        (Frame, 8),
        (Local, 32),
        (Generic, 32),
        (Frame, 64),
        (Frame, 72),
        (Frame, 56),
        (Frame, 0),
        (Frame, 0),
    ];
    assert_eq!(places, expected);
    let end = kernel.code.len() - 1;
    let returns: Vec<usize> =
        (0..=end).filter(|at| matches!(kernel.code[*at].op, Op::Return)).collect();
    assert_eq!(returns, [end]);
    let guarded = kernel.code.iter().rfind(|one| one.guard.is_some()).unwrap();
    assert!(
        matches!(guarded.op, Op::Branch { reconverge: Some(reconverge), .. } if reconverge as usize == end)
    );
}

#[test]
fn pointers_lead_to_the_functions_whose_address_is_taken() {
    let text = ".func (.param .b32 o) one(.param .b32 i)\n{\nst.param.b32 [o], 1;\nret;\n}\n\
        .func (.param .b32 o) two(.param .b32 i)\n{\nst.param.b32 [o], 2;\nret;\n}\n\
        .func other(.param .b64 i)\n{\nret;\n}\n.func (.param .b32 o) unused(.param .b32 i)\n{\nret;\n}\n\
        .global .u64 table[2] = {two, other};\n.entry k()\n{\n.reg .b64 %rd<3>;\n\
        mov.u64 %rd1, one;\n{ .param .b32 a; .param .b32 r;\n\
        proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r), %rd1, (a), proto; }\nret;\n}\n";
    let kernel = lower(text).unwrap();
    let names: Vec<&str> = kernel.subroutines.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let address = kernel.subroutines[0].address;
    assert!(
        matches!(kernel.code[0].op, Op::Move { from: Value::Constant(at), .. } if at == address)
    );
    let (_, call) = calls(&kernel)[0];
    assert!(matches!(call.target, CallTarget::Pointer(Value::Register(_))));
    assert_eq!(call.arguments, [CallCopy { caller: 0, callee: 4, bytes: 4 }]);
}

#[test]
fn the_system_is_called_with_the_places_of_its_arguments() {
    let text = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
        .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func other();\n\
        .entry k()\n{\n.reg .b64 %rd<3>;\n.local .b8 pad[8];\n\
        { .param .b64 f; .param .b64 a; .param .b32 r; call (r), vprintf, (f, a); }\n\
        { .param .b64 n; .param .b64 r; call (r), malloc, (n); }\nret;\n}\n";
    let kernel = lower(text).unwrap();
    let systems: Vec<_> = kernel
        .code
        .iter()
        .filter_map(|one| match &one.op {
            Op::System(call) => Some((call.function, call.arguments.clone(), call.result)),
            _ => None,
        })
        .collect();
    assert_eq!(
        systems,
        [
            (SystemFunction::Print, vec![8, 16], Some(24)),
            (SystemFunction::Allocate, vec![8], Some(16)),
        ]
    );
    let unknown = text.replace("call (r), malloc, (n);", "call other;");
    let messages = lower(&unknown).unwrap_err().to_string();
    assert!(messages.contains("the external device function `other`"), "{messages}");
}

#[test]
fn what_is_too_much_to_expand_is_called() {
    let doubling: String = (0..40)
        .map(|i| format!(".func f{i}()\n{{\ncall f{};\ncall f{};\nret;\n}}\n", i + 1, i + 1))
        .collect();
    let text = format!(".func f40()\n{{\n}}\n{doubling}.entry k()\n{{\ncall f0;\n}}\n");
    let kernel = lower(&text).unwrap();
    assert!(!kernel.subroutines.is_empty());
    let chain: String =
        (0..100).map(|i| format!(".func f{i}()\n{{\ncall f{};\nret;\n}}\n", i + 1)).collect();
    let text = format!(".func f100()\n{{\n}}\n{chain}.entry k()\n{{\ncall f0;\n}}\n");
    assert_eq!(lower(&text).unwrap().subroutines.len(), 1, "the chain is cut once");
}

#[test]
fn registers_are_handed_over_in_memory() {
    let text = ".func (.reg .b32 out) add(.reg .b32 a, .reg .b64 b)\n{\n.reg .pred %p<2>;\n\
        mov.b32 out, a;\n@%p1 ret;\nadd.s32 out, out, 1;\nret;\n}\n\
        .entry k()\n{\n.reg .b32 %r<3>;\ncall (%r1), add, (%r2, 5);\nret;\n}\n";
    let kernel = lower(text).unwrap();
    let accesses: Vec<_> = kernel
        .code
        .iter()
        .filter_map(|one| match &one.op {
            Op::Load { offset, .. } => Some(("load", *offset)),
            Op::Store { offset, .. } => Some(("store", *offset)),
            _ => None,
        })
        .collect();
    let expected = [
        ("store", 4),
        ("store", 8),
        ("load", 4),
        ("load", 8),
        ("store", 0),
        ("store", 0),
        ("load", 0),
    ];
    assert_eq!(accesses, expected);
}

#[test]
fn a_jump_to_one_of_several_places_stays_one() {
    let text = ".entry k()\n{\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\nts: .branchtargets A, B;\n\
        @%p1 brx.idx %r1, ts;\nA:\nmembar.gl;\nbra OUT;\nB:\nmembar.cta;\nOUT:\nmembar.sys;\nret;\n}\n";
    let kernel = lower(text).unwrap();
    assert!(kernel.code[0].guard.is_some());
    let Op::BranchIndexed { targets, reconverge, .. } = &kernel.code[0].op else { panic!() };
    assert_eq!((&targets[..], *reconverge), (&[1, 3][..], Some(4)));
}

/// How long it takes to make a kernel of a text.
fn seconds(text: &str) -> (Kernel, f64) {
    let start = std::time::Instant::now();
    let kernel = lower(text).unwrap();
    (kernel, start.elapsed().as_secs_f64())
}

#[test]
fn a_long_chain_of_calls_takes_time_in_proportion() {
    const FUNCTIONS: usize = 20_000;
    let mut text = ".func f0() { ret; }\n".to_string();
    for number in 1..FUNCTIONS {
        text += &format!(".func f{number}() {{ call f{}; ret; }}\n", number - 1);
    }
    text += &format!(".entry k() {{ call f{}; ret; }}\n", FUNCTIONS - 1);
    let (kernel, seconds) = seconds(&text);
    assert!(kernel.subroutines.len() > FUNCTIONS / 100);
    assert!(seconds < 20.0, "{seconds} s");
}

#[test]
fn many_functions_that_call_through_pointers_take_time_and_memory_in_proportion() {
    const FUNCTIONS: usize = 20_000;
    let mut text = String::new();
    for number in 0..FUNCTIONS {
        text += &format!(
            ".func f{number}() {{ .reg .b64 %rd<2>; mov.u64 %rd1, f{number};\n\
             p{number}: .callprototype ()_ (); call %rd1, p{number}; ret; }}\n"
        );
    }
    text += ".entry k() { .reg .b64 %rd<2>;\nmov.u64 %rd1, f7;\n\
             pk: .callprototype ()_ (); call %rd1, pk; ret; }\n";
    let (kernel, seconds) = seconds(&text);
    assert_eq!(kernel.subroutines.len(), FUNCTIONS);
    assert!(seconds < 20.0, "{seconds} s");
}

#[test]
fn many_loads_behind_branches_take_time_in_proportion() {
    const LOADS: usize = 40_000;
    let mut text =
        ".entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n\
                    ld.param.u64 %rd1, [p];\n"
            .to_string();
    for number in 0..LOADS {
        text += &format!("ld.global.u32 %r1, [%rd1];\n@%p1 bra L{number};\nmov.u32 %r1, 0;\n");
        text += &format!("L{number}:\n");
    }
    let (kernel, seconds) = seconds(&(text + "ret; }\n"));
    assert!(kernel.code.len() > 3 * LOADS);
    assert!(seconds < 10.0, "{seconds} s");
}
