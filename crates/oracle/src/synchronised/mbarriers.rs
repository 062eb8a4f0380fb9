//! Hand-offs with `mbarrier` objects.

use super::parties::Party;
use super::place::Where;
use super::statement::{Statement, Test};
use super::templates::Generator;

impl Generator {
    /// The offset of an object that is not used yet.
    pub(super) fn object(&mut self) -> u32 {
        self.objects = (self.objects + 1) % 8;
        128 + 8 * self.objects
    }

    /// One thread of each block makes the object; then all threads go on.
    pub(super) fn made(&mut self, object: u32, count: u32) -> Vec<Statement> {
        let thread = self.some_thread();
        let init = format!("mbarrier.init.shared::cta.b64 [%sb+{object}], {count};");
        let who = vec![Test::new("%thr", "eq", thread)];
        let mut all = vec![Statement::Predicated { who, line: init }];
        if self.extents.cluster > 1 && self.random.once_in(2) {
            all.push(Statement::line("fence.mbarrier_init.release.cluster;"));
        }
        if !self.slips() {
            all.extend(self.meeting());
        }
        all
    }

    /// Some wait until a phase of this parity is complete, and go on.
    pub(super) fn waited(
        &mut self,
        object: u32,
        parity: u32,
        scope: &str,
        then: Vec<Statement>,
    ) -> Statement {
        let kind = self.random.choose(&["test_wait", "try_wait"]);
        let is_relaxed = self.random.once_in(6);
        let order = match (self.slips() || is_relaxed, scope) {
            (true, scope) => format!(".relaxed.{scope}"),
            (false, "cta") if self.random.once_in(2) => String::new(),
            (false, scope) => format!(".acquire.{scope}"),
        };
        let then = match is_relaxed && !self.slips() {
            true => [vec![Statement::line(format!("fence.acq_rel.{scope};"))], then].concat(),
            false => then,
        };
        let attempt = vec![Statement::line(format!(
            "mbarrier.{kind}.parity{order}.shared::cta.b64 %q, [%sb+{object}], {parity};"
        ))];
        let attempts = self.random.choose(&[4, 10, 20]);
        Statement::Poll { attempts, attempt, then }
    }

    /// Some threads arrive at an object, others wait for it.
    pub(super) fn mbarrier(&mut self) -> Vec<Statement> {
        let block = self.random.below(u64::from(self.extents.blocks)) as u32;
        let object = self.object();
        let single = |generator: &mut Self, block: u32| {
            let mut who = vec![Test::new("%thr", "eq", generator.some_thread())];
            if generator.extents.blocks > 1 {
                who.push(Test::new("%blk", "eq", block));
            }
            Party { who, block: Some(block) }
        };
        // Whoever arrives does so at the object of `block`, perhaps from the other block of the cluster.
        let arrivals = self.random.choose(&[1, 1, 2, 3]);
        let phases = self.random.choose(&[1, 1, 2]);
        let mut all = self.made(object, arrivals);
        let memory = if self.random.once_in(2) { Where::Global } else { Where::Shared };
        let data = self.data_in(memory);
        for phase in 0..phases {
            let mut parts = Vec::new();
            for _ in 0..arrivals {
                let remote = self.extents.cluster > 1 && self.random.once_in(3);
                let from = if remote { self.extents.peer(block) } else { block };
                let party = single(self, from);
                let mut part = self.accesses(data);
                let scope = if remote && !self.slips() { "cluster" } else { self.mbarrier_scope() };
                let is_relaxed = self.random.once_in(6);
                if is_relaxed && !self.slips() {
                    let order = self.random.choose(&["acq_rel", "release", "sc"]);
                    part.push(Statement::line(format!("fence.{order}.{scope};")));
                }
                let order = match self.slips() || is_relaxed {
                    true => format!(".relaxed.{scope}"),
                    false if scope == "cta" && self.random.once_in(2) => String::new(),
                    false => format!(".release.{scope}"),
                };
                let arrive = if remote {
                    format!("mbarrier.arrive{order}.shared::cluster.b64 _, [%rb+{object}];")
                } else {
                    match self.random.below(8) {
                        0 if phase + 1 == phases => {
                            format!(
                                "mbarrier.arrive_drop{order}.shared::cta.b64 %state, [%sb+{object}];"
                            )
                        }
                        1 => format!(
                            "mbarrier.arrive.expect_tx{order}.shared::cta.b64 %state, [%sb+{object}], 0;"
                        ),
                        2 => {
                            part.push(Statement::line(format!(
                                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%sb+{object}], 0;"
                            )));
                            format!(
                                "mbarrier.arrive{order}.shared::cta.b64 %state, [%sb+{object}], 1;"
                            )
                        }
                        _ => format!(
                            "mbarrier.arrive{order}.shared::cta.b64 %state, [%sb+{object}];"
                        ),
                    }
                };
                part.push(Statement::Line(arrive));
                if !remote && self.random.once_in(6) {
                    // The state that the arrival gave says what to wait for.
                    let inner = self.accesses(data);
                    let attempt = vec![Statement::line(format!(
                        "mbarrier.try_wait.shared::cta.b64 %q, [%sb+{object}], %state;"
                    ))];
                    part.push(Statement::Poll { attempts: 10, attempt, then: inner });
                }
                parts.push((party, part));
            }
            let waits = self.random.choose(&[1, 1, 2]);
            for _ in 0..waits {
                let party = self.party_in(Some(block));
                let inner = self.accesses(data);
                let scope = self.mbarrier_scope();
                let wait = self.waited(object, phase & 1, scope, inner);
                parts.push((party, vec![wait]));
            }
            all.extend(self.parts(parts));
            if phase + 1 < phases || self.random.once_in(6) {
                all.extend(self.meeting());
            }
        }
        if self.random.once_in(6) {
            let party = single(self, block);
            let line = Statement::line(format!("mbarrier.inval.shared::cta.b64 [%sb+{object}];"));
            all.push(self.guarded(&party, vec![line]));
        }
        if self.random.once_in(12) {
            let party = self.party_in(Some(block));
            let line = Statement::line(format!("ld.shared.u64 %xd0, [%sb+{object}];"));
            all.push(self.guarded(&party, vec![line]));
        }
        all
    }

    pub(super) fn mbarrier_scope(&mut self) -> &'static str {
        if self.extents.cluster > 1 {
            self.random.choose(&["cta", "cluster", "cluster"])
        } else {
            self.random.choose(&["cta", "cta", "cluster"])
        }
    }
}
