//! Programs made by chance, against a reading of the same program thread by thread.
//!
//! Branches, loops, switches, exits and calls part the lanes of a warp in every way; what a lane
//! computes must not depend on it. Between the parts all lanes that are left add up a value, so that
//! they have to come together again.

use crate::support::{Machine, Setup, module};
use std::fmt::Write;
use warpsan_simt::{Policy, Schedule};

const VARIABLES: u32 = 4;

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// A lane's variable, looked at through a mask.
#[derive(Clone, Copy)]
struct Test {
    variable: u32,
    mask: u32,
    below: u32,
}

enum Step {
    /// One variable times a number plus another.
    Set {
        to: u32,
        from: u32,
        by: u32,
        plus: u32,
    },
    If {
        test: Test,
        yes: Vec<Step>,
        no: Vec<Step>,
    },
    /// As many rounds as three bits of a variable say.
    Loop {
        variable: u32,
        body: Vec<Step>,
    },
    BreakIf(Test),
    ContinueIf(Test),
    Switch {
        variable: u32,
        cases: Vec<Vec<Step>>,
    },
    ExitIf(Test),
    /// A call of a function that calls itself as often as three bits of a variable say.
    Call {
        to: u32,
        from: u32,
    },
}

fn test(chance: &mut Chance) -> Test {
    let mask = [3, 7, 15, 24][chance.below(4) as usize];
    Test { variable: chance.below(VARIABLES), mask, below: 1 + chance.below(mask) }
}

fn steps(chance: &mut Chance, depth: u32, in_loop: bool) -> Vec<Step> {
    let count = 1 + chance.below(3);
    (0..count).map(|_| step(chance, depth, in_loop)).collect()
}

fn step(chance: &mut Chance, depth: u32, in_loop: bool) -> Step {
    match if depth == 0 { 0 } else { chance.below(12) } {
        2 | 3 => {
            let no =
                if chance.below(2) == 0 { Vec::new() } else { steps(chance, depth - 1, in_loop) };
            Step::If { test: test(chance), yes: steps(chance, depth - 1, in_loop), no }
        }
        4 | 5 => {
            Step::Loop { variable: chance.below(VARIABLES), body: steps(chance, depth - 1, true) }
        }
        6 if in_loop => Step::BreakIf(test(chance)),
        7 if in_loop => Step::ContinueIf(test(chance)),
        8 => {
            let cases = (0..4).map(|_| steps(chance, depth - 1, in_loop)).collect();
            Step::Switch { variable: chance.below(VARIABLES), cases }
        }
        9 if chance.below(3) == 0 => Step::ExitIf(Test { below: 1, ..test(chance) }),
        10 | 11 => Step::Call { to: chance.below(VARIABLES), from: chance.below(VARIABLES) },
        _ => Step::Set {
            to: chance.below(VARIABLES),
            from: chance.below(VARIABLES),
            by: 1 + 2 * chance.below(9),
            plus: chance.below(VARIABLES),
        },
    }
}

/// The program in PTX. Variable n is `%r(20+n)`; the counters of loops are from `%r24` on.
#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
    depth: u32,
    /// Where to go to leave or to repeat the loops around.
    loops: Vec<u32>,
}

impl Writer {
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}", line.as_ref());
    }

    fn test(&mut self, test: Test) {
        self.line(format!("and.b32 %r2, %r{}, {};", 20 + test.variable, test.mask));
        self.line(format!("setp.lt.u32 %p1, %r2, {};", test.below));
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Set { to, from, by, plus } => {
                self.line(format!(
                    "mad.lo.s32 %r{}, %r{}, {by}, %r{};",
                    20 + to,
                    20 + from,
                    20 + plus
                ));
            }
            Step::If { test, yes, no } => {
                let (other, end) = (self.label(), self.label());
                self.test(*test);
                self.line(format!("@!%p1 bra $L{other};"));
                self.steps(yes);
                self.line(format!("bra $L{end};\n$L{other}:"));
                self.steps(no);
                self.line(format!("$L{end}:"));
            }
            Step::Loop { variable, body } => {
                let label = self.label();
                let counter = 24 + self.depth;
                self.depth += 1;
                self.line(format!("and.b32 %r{counter}, %r{}, 7;", 20 + variable));
                self.line(format!(
                    "$H{label}:\nsetp.eq.u32 %p1, %r{counter}, 0;\n@%p1 bra $E{label};"
                ));
                self.line(format!("sub.s32 %r{counter}, %r{counter}, 1;"));
                self.loops.push(label);
                self.steps(body);
                self.loops.pop();
                self.depth -= 1;
                self.line(format!("bra $H{label};\n$E{label}:"));
            }
            Step::BreakIf(test) | Step::ContinueIf(test) => {
                let to = if matches!(step, Step::BreakIf(_)) { "E" } else { "H" };
                let label = self.loops[self.loops.len() - 1];
                self.test(*test);
                self.line(format!("@%p1 bra ${to}{label};"));
            }
            Step::Switch { variable, cases } => {
                let (first, end) = (self.label(), self.label());
                let names: Vec<String> =
                    (0..cases.len()).map(|case| format!("$C{first}_{case}")).collect();
                self.line(format!("and.b32 %r2, %r{}, 3;", 20 + variable));
                self.line(format!(
                    "$T{first}: .branchtargets {};\nbrx.idx %r2, $T{first};",
                    names.join(", ")
                ));
                for (name, case) in names.iter().zip(cases) {
                    self.line(format!("{name}:"));
                    self.steps(case);
                    self.line(format!("bra $L{end};"));
                }
                self.line(format!("$L{end}:"));
            }
            Step::ExitIf(test) => {
                self.test(*test);
                self.line("@%p1 st.global.u32 [%rd2], %r20;\n@%p1 exit;");
            }
            Step::Call { to, from } => self.line(format!(
                "{{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r{};\ncall (b), f, (a);\n\
                 ld.param.b32 %r{}, [b];\n}}",
                20 + from,
                20 + to
            )),
        }
    }
}

const FUNCTION: &str = ".func (.param .b32 result) f(.param .b32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    ld.param.u32 %r1, [n];
    and.b32 %r2, %r1, 7;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra $out;
    sub.s32 %r3, %r1, 1;
    {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r3;
    call (b), f, (a);
    ld.param.b32 %r4, [b];
    }
    mad.lo.s32 %r1, %r4, 3, %r2;
    $out:
    add.s32 %r5, %r1, 11;
    st.param.b32 [result], %r5;
    ret;
}\n";

fn function(n: u32) -> u32 {
    if n & 7 == 0 {
        n.wrapping_add(11)
    } else {
        function(n - 1).wrapping_mul(3).wrapping_add(n & 7).wrapping_add(11)
    }
}

/// How a lane goes on.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    On,
    Break,
    Continue,
    Exit,
}

fn read(steps: &[Step], lane: &mut [u32; 4]) -> Way {
    let holds =
        |lane: &[u32; 4], test: &Test| lane[test.variable as usize] & test.mask < test.below;
    for step in steps {
        let way = match step {
            Step::Set { to, from, by, plus } => {
                lane[*to as usize] =
                    lane[*from as usize].wrapping_mul(*by).wrapping_add(lane[*plus as usize]);
                Way::On
            }
            Step::If { test, yes, no } => read(if holds(lane, test) { yes } else { no }, lane),
            Step::Loop { variable, body } => {
                let mut way = Way::On;
                for _ in 0..lane[*variable as usize] & 7 {
                    match read(body, lane) {
                        Way::Break => break,
                        Way::Exit => {
                            way = Way::Exit;
                            break;
                        }
                        Way::On | Way::Continue => {}
                    }
                }
                way
            }
            Step::BreakIf(test) if holds(lane, test) => Way::Break,
            Step::ContinueIf(test) if holds(lane, test) => Way::Continue,
            Step::ExitIf(test) if holds(lane, test) => Way::Exit,
            Step::BreakIf(_) | Step::ContinueIf(_) | Step::ExitIf(_) => Way::On,
            Step::Switch { variable, cases } => {
                read(&cases[lane[*variable as usize] as usize & 3], lane)
            }
            Step::Call { to, from } => {
                lane[*to as usize] = function(lane[*from as usize]);
                Way::On
            }
        };
        if way != Way::On {
            return way;
        }
    }
    Way::On
}

/// The program in PTX, and what each thread of a warp leaves.
fn program(seed: u64) -> (String, Vec<u32>) {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let parts: Vec<Vec<Step>> = (0..3).map(|_| steps(&mut chance, 3, false)).collect();
    let mut writer = Writer::default();
    writer.line("mov.u32 %r20, %r7;\nmul.lo.s32 %r21, %r7, 7;\nadd.s32 %r22, %r7, 13;\nxor.b32 %r23, %r7, 21;");
    let mut lanes: Vec<[u32; 4]> =
        (0..32).map(|lane| [lane, lane * 7, lane + 13, lane ^ 21]).collect();
    let mut gone = [false; 32];
    for part in &parts {
        writer.steps(part);
        // Both ways have their own sum over all lanes.
        let (other, end) = (writer.label(), writer.label());
        writer.line(format!(
            "setp.lt.u32 %p1, %r20, 50;\n@%p1 bra $L{other};\nredux.sync.add.u32 %r3, %r21, -1;\nbra $L{end};\n\
             $L{other}:\nredux.sync.add.u32 %r3, %r21, -1;\n$L{end}:\nadd.s32 %r20, %r20, %r3;"
        ));
        for (lane, gone) in lanes.iter_mut().zip(&mut gone) {
            if !*gone {
                *gone = read(part, lane) == Way::Exit;
            }
        }
        let left = || lanes.iter().zip(&gone).filter(|(_, gone)| !**gone);
        let sum = left().fold(0u32, |sum, (lane, _)| sum.wrapping_add(lane[1]));
        for (lane, gone) in lanes.iter_mut().zip(&gone) {
            if !*gone {
                lane[0] = lane[0].wrapping_add(sum);
            }
        }
    }
    writer.line("st.global.u32 [%rd2], %r20;\nret;");
    let results = lanes.iter().map(|lane| lane[0]).collect();
    (module(FUNCTION, &writer.text), results)
}

#[test]
fn lanes_compute_the_same_together_as_alone() {
    for seed in 0..150 {
        let (text, expected) = program(seed);
        let machine = Machine::new(&text, 32);
        for schedule in [
            Schedule::random(seed),
            Schedule { policy: Policy::RoundRobin, seed },
            Schedule { policy: Policy::Pct { depth: 3 }, seed },
        ] {
            machine.clear();
            let done = machine.launch(&Setup {
                schedule: schedule.clone(),
                record: true,
                ..Setup::new(1, 32)
            });
            assert_eq!(done.result, Ok(()), "program {seed}, {schedule}\n{text}");
            assert_eq!(done.memory, expected, "program {seed}, {schedule}\n{text}");
            machine.clear();
            let replay = Setup { schedule: done.turns.unwrap(), ..Setup::new(1, 32) };
            let again = machine.launch(&replay);
            assert_eq!(again.result, Ok(()), "program {seed}, {schedule}, replayed");
            assert_eq!((again.memory, again.stats), (expected.clone(), done.stats));
        }
    }
}
