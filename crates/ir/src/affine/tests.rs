use super::*;
use crate::{ModuleIndex, function};
use warpsan_ptx::Document;

/// Pointers at 0 and 8, integers of 32 bits at 16 and 20, one of 64 bits at 24.
const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 variable[4];\n\
    .entry k(.param .b64 p, .param .b64 q, .param .b32 n, .param .b32 m, .param .b64 wide)\n{\n\
    .reg .b32 %r<20>;\n.reg .b64 %rd<30>;\n.reg .pred %p<4>;\n\
    ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\nld.param.u32 %r1, [n];\nld.param.u64 %rd3, [wide];\n\
    cvta.to.global.u64 %rd4, %rd1;\ncvta.to.global.u64 %rd5, %rd2;\nmov.u32 %r2, %tid.x;\n\
    mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r2;\n";

/// The accesses of global memory in the code, in its order, with their bytes.
fn accesses(code: &str) -> Vec<(Option<SymbolicAddress>, u32)> {
    let document = Document::parse(format!("{HEAD}{code}\nret;\n}}\n"));
    assert_eq!(document.errors(), [], "{code}");
    let function = function(&ModuleIndex::of(&document), "k").expect("a function");
    let found = symbolic_addresses(&function.code, &function.parameters);
    let of_global = function.code.iter().zip(found).filter_map(|(one, found)| match &one.op {
        Op::Load { space: MemorySpace::Global | MemorySpace::Generic, ty, .. }
        | Op::Store { space: MemorySpace::Global | MemorySpace::Generic, ty, .. } => {
            Some((found, ty.bytes()))
        }
        _ => None,
    });
    of_global.collect()
}

fn launch(parameters: &[u8]) -> LaunchValues<'_> {
    LaunchValues { grid: [7, 1, 1], block: [64, 1, 1], parameters }
}

/// Whether all accesses of the code have one form, and threads places of their own.
fn is_disjoint(code: &str, values: &LaunchValues<'_>) -> bool {
    let found = accesses(code);
    let forms: Option<Vec<FormOfAccess<'_>>> = found
        .iter()
        .map(|(address, bytes)| {
            let address = address.as_ref()?;
            let (form, threads) = (address.form.as_ref()?, &address.threads);
            Some(FormOfAccess { base: 0x1000, form, threads, bytes: *bytes })
        })
        .collect();
    forms.is_some_and(|forms| disjoint(&forms, values))
}

/// The parameters with these integers.
fn parameters(n: i32, m: i32, wide: i64) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    bytes.extend(n.to_le_bytes());
    bytes.extend(m.to_le_bytes());
    bytes.extend(wide.to_le_bytes());
    bytes
}

#[test]
fn a_thread_of_the_grid_has_its_own_element() {
    let code = "mul.wide.s32 %rd6, %r5, 4;\nadd.s64 %rd7, %rd4, %rd6;\nld.global.u32 %r6, [%rd7];\n\
                st.global.u32 [%rd7], %r6;";
    let found = accesses(code);
    assert!(found.iter().all(|(one, _)| one.as_ref().unwrap().origins == [Origin::Parameter(0)]));
    assert!(is_disjoint(code, &launch(&parameters(0, 0, 0))));
    // The neighbour's element is another thread's.
    let neighbour = code.replace("st.global.u32 [%rd7]", "st.global.u32 [%rd7+4]");
    assert!(!is_disjoint(&neighbour, &launch(&parameters(0, 0, 0))));
    let two = "mul.wide.s32 %rd6, %r5, 8;\nadd.s64 %rd7, %rd4, %rd6;\nst.global.u32 [%rd7], 1;\n\
               st.global.u32 [%rd7+4], 2;";
    assert!(is_disjoint(two, &launch(&parameters(0, 0, 0))));
}

#[test]
fn threads_of_a_block_that_share_an_element_are_not_apart() {
    let code = "mul.wide.s32 %rd6, %r3, 4;\nadd.s64 %rd7, %rd4, %rd6;\nst.global.u32 [%rd7], 1;";
    assert!(!is_disjoint(code, &launch(&parameters(0, 0, 0))));
    let alone = LaunchValues { block: [1, 1, 1], ..launch(&[]) };
    assert!(is_disjoint(code, &alone));
}

#[test]
fn integers_of_the_launch_count() {
    // Rows of n elements, one thread each.
    let code = "mul.lo.s32 %r6, %r5, %r1;\nmul.wide.s32 %rd6, %r6, 4;\nadd.s64 %rd7, %rd4, %rd6;\n\
                st.global.v2.u32 [%rd7], {%r1, %r1};";
    let with = |n| {
        let found = accesses(code);
        let form = found[0].0.as_ref().unwrap().form.as_ref().unwrap();
        let parameters = parameters(n, 0, 0);
        disjoint(&[FormOfAccess { base: 0, form, threads: &[], bytes: 8 }], &launch(&parameters))
    };
    assert!(with(2) && with(100) && with(-2) && !with(1) && !with(0));
    assert!(!with(1 << 28), "32 bits do not hold it");
    let wide = "cvt.s64.s32 %rd6, %r5;\nmul.lo.s64 %rd8, %rd6, %rd3;\nadd.s64 %rd7, %rd4, %rd8;\n\
                st.global.u32 [%rd7], 1;";
    assert!(is_disjoint(wide, &launch(&parameters(0, 0, 4))));
    assert!(!is_disjoint(wide, &launch(&parameters(0, 0, 3))));
}

#[test]
fn what_changes_in_a_loop_has_an_origin_and_no_form() {
    let found = accesses(
        "mov.u64 %rd6, %rd4;\nLOOP:\nld.global.u32 %r6, [%rd6];\nadd.s64 %rd6, %rd6, 4;\n\
         add.s32 %r7, %r7, 1;\nsetp.lt.s32 %p2, %r7, %r1;\n@%p2 bra LOOP;\n\
         mul.wide.s32 %rd8, %r6, 4;\nadd.s64 %rd9, %rd5, %rd8;\nst.global.u32 [%rd9], %r6;",
    );
    let wanted = |at| {
        Some(SymbolicAddress {
            origins: vec![Origin::Parameter(at)],
            form: None,
            threads: Vec::new(),
        })
    };
    assert_eq!(found, [(wanted(0), 4), (wanted(8), 4)]);
}

#[test]
fn variables_are_origins_and_pointers_from_memory_are_none() {
    let found = accesses(
        "mov.u64 %rd6, variable;\nst.global.u32 [%rd6+8], 1;\nst.global.u32 [variable+4], 1;\n\
         ld.global.u64 %rd7, [%rd4];\nst.global.u32 [%rd7], 1;\nadd.s64 %rd8, %rd4, %rd5;\n\
         st.global.u32 [%rd8], 1;",
    );
    let origins: Vec<Option<Origin>> =
        found.iter().map(|(one, _)| one.as_ref().map(|one| one.origins[0])).collect();
    let variable = Some(Origin::Variable(0));
    assert_eq!(origins, [variable, variable, Some(Origin::Parameter(0)), None, None]);
}

#[test]
fn forms_can_be_written_down() {
    let found = accesses(
        "mul.lo.s32 %r6, %r5, %r1;\nmul.wide.s32 %rd6, %r6, -4;\nadd.s64 %rd7, %rd4, %rd6;\n\
         st.global.u32 [%rd7+12], 1;",
    );
    let form = found[0].0.as_ref().unwrap().form.clone().unwrap();
    let text = form.offset.to_string();
    assert_eq!(Polynomial::parse(&text), Some(form.offset), "{text}");
    assert_eq!(Polynomial::parse("1*x7"), None);
}

#[test]
fn pointers_that_are_exchanged_are_all_origins() {
    let found = accesses(
        "mov.u64 %rd6, %rd4;\nmov.u64 %rd7, %rd5;\nLOOP:\nld.global.u32 %r6, [%rd6];\nst.global.u32 [%rd7+4], %r6;\n\
         mov.u64 %rd8, %rd6;\nmov.u64 %rd6, %rd7;\nmov.u64 %rd7, %rd8;\nsetp.lt.s32 %p2, %r6, %r1;\n@%p2 bra LOOP;",
    );
    let both = vec![Origin::Parameter(0), Origin::Parameter(8)];
    let wanted = Some(SymbolicAddress { origins: both, form: None, threads: Vec::new() });
    assert_eq!(found, [(wanted.clone(), 4), (wanted, 4)]);
}

/// A store by block to an array of as many elements as `%r7` says, below a condition that is put before it.
fn store_of_block(condition: &str, elements: u32) -> String {
    format!(
        "{condition}\nmad.lo.s32 %r6, %r3, {elements}, %r2;\nmul.wide.s32 %rd6, %r6, 4;\n\
         add.s64 %rd7, %rd4, %rd6;\nst.global.u32 [%rd7], %r6;\nEND:"
    )
}

#[test]
fn threads_that_a_branch_excludes_do_not_count() {
    let bytes = parameters(16, 0, 0);
    let values = launch(&bytes);
    assert!(!is_disjoint(&store_of_block("", 16), &values), "64 threads and 16 elements");
    for (condition, threads) in [
        ("setp.gt.u32 %p1, %r2, 15;\n@%p1 bra END;", 16),
        ("setp.lt.s32 %p1, %r2, %r1;\n@!%p1 bra END;", 16),
        ("setp.le.s32 %p1, %r1, %r2;\n@%p1 bra END;", 16),
        ("setp.ne.s32 %p1, %r2, 63;\n@%p1 bra END;", 1),
        ("setp.eq.s32 %p1, %r2, 0;\n@%p1 bra THERE;\nbra.uni END;\nTHERE:", 1),
    ] {
        assert!(is_disjoint(&store_of_block(condition, threads), &values), "{condition}");
        let fewer = store_of_block(condition, threads.max(2) - 1);
        assert_eq!(is_disjoint(&fewer, &values), threads == 1, "{condition}");
    }
}

#[test]
fn branches_that_exclude_nobody_say_nothing() {
    let bytes = parameters(-1, 0, 0);
    let values = launch(&bytes);
    for condition in [
        // The other way leads there, too.
        "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra THERE;\nmov.u32 %r9, 1;\nTHERE:",
        // As an unsigned number -1 is the largest.
        "setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra END;",
        // What is compared is not the thread's index.
        "setp.gt.u32 %p1, %r3, 15;\n@%p1 bra END;",
        // The predicate is another one where it is looked at.
        "setp.gt.u32 %p1, %r2, 15;\nsetp.gt.u32 %p1, %r3, 15;\n@%p1 bra END;",
        // Threads that are left out are few.
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra END;",
    ] {
        assert!(!is_disjoint(&store_of_block(condition, 16), &values), "{condition}");
    }
}

#[test]
fn all_accesses_count_and_not_only_those_of_few_threads() {
    let bytes = parameters(0, 0, 0);
    let few = store_of_block("setp.gt.u32 %p1, %r2, 15;\n@%p1 bra END;", 16);
    let predicated = few.replace("@%p1 bra END;", "").replace("st.global", "@!%p1 st.global");
    assert!(is_disjoint(&predicated, &launch(&bytes)), "a condition of the store itself");
    let more = format!("{few}\nld.global.u32 %r8, [%rd7];");
    assert!(!is_disjoint(&more, &launch(&bytes)), "others read what follows");
}
