//! How long ParsnipLines stay in caches, by what software has to do (section 4.3.3). The thesis has no numbers: these are ours.

use super::detector::Used;
use super::settings::Residence;

/// Checks after which it is thought over.
const WINDOW: u32 = 4096;
/// The most handlers of software that nobody minds.
const MOST_HANDLERS: f64 = WINDOW as f64 / 256.0;
/// Windows for which it is known how many handlers there were with the other residence; then that is tried again. Twice as many each time that
/// it is worse.
const MEMORY: u32 = 64;

/// A window counts for this part of the mean.
const WEIGHT: f64 = 0.125;

/// The residence of lines now.
pub(super) struct Adaptive {
    now: Residence,
    adapts: bool,
    checks: u32,
    /// Handlers of lines that were accessed before: nothing helps the others. Buffers that are full call some, too.
    handlers: u32,
    /// Clocks for which tables had no room. Without them there is nothing that lines in first caches alone would make better.
    rejections: u32,
    /// Lines are still where the other residence has left them: what software does in this window says nothing.
    is_new: bool,
    /// Handlers of a window with this residence, in the mean.
    mean: Option<f64>,
    /// The same with the other residence, and how many windows ago that was.
    other: Option<(f64, u32)>,
    /// Windows for which that is known.
    memory: u32,
}

impl Adaptive {
    pub(super) fn new(residence: Residence) -> Adaptive {
        let adapts = residence == Residence::Adaptive;
        let now = if adapts { Residence::Llc } else { residence };
        let (checks, handlers, rejections) = (0, 0, 0);
        let (is_new, mean, other, memory) = (false, None, None, MEMORY);
        Adaptive { now, adapts, checks, handlers, rejections, is_new, mean, other, memory }
    }

    pub(super) fn is_l1(&self) -> bool {
        self.now == Residence::L1
    }

    /// Takes a check into account. The answer is whether lines are to be in first caches from now on.
    pub(super) fn check(&mut self, used: &Used) -> bool {
        self.checks += 1;
        let checks = if used.was_cold { 0 } else { used.software_checks };
        self.handlers += checks + used.drains + used.unbuffered;
        self.rejections += used.rejections;
        if self.checks < WINDOW || !self.adapts {
            return false;
        }
        let was_l1 = self.is_l1();
        self.end_window();
        self.is_l1() && !was_l1
    }

    fn end_window(&mut self) {
        let all = f64::from(std::mem::take(&mut self.handlers));
        let rejections = f64::from(std::mem::take(&mut self.rejections));
        let handlers = if self.is_l1() || rejections > MOST_HANDLERS { all } else { 0.0 };
        self.checks = 0;
        if std::mem::take(&mut self.is_new) {
            return;
        }
        let mean = self.mean.map_or(handlers, |mean| mean + WEIGHT * (handlers - mean));
        self.mean = Some(mean);
        let older = self.other.map(|(other, age)| (other, age + 1));
        self.other = older.filter(|(_, age)| *age < self.memory);
        if mean > MOST_HANDLERS && self.other.is_none_or(|(other, _)| other < mean) {
            self.change(mean);
        }
    }

    fn change(&mut self, mean: f64) {
        let was_tried = self.other.take();
        if was_tried.is_some_and(|(_, age)| age == 1) {
            self.memory = self.memory.saturating_mul(2);
        }
        self.mean = was_tried.map(|(other, _)| other);
        self.other = Some((mean, 0));
        self.is_new = true;
        self.now = if self.is_l1() { Residence::Llc } else { Residence::L1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(residence: &mut Adaptive, count: u32, of_window: u32, used: Used) {
        for number in 0..count * WINDOW {
            let is_one = number % WINDOW < of_window;
            residence.check(&if is_one { used } else { Used::default() });
        }
    }

    #[test]
    fn lines_stay_where_software_has_less_to_do() {
        let warm = Used { software_checks: 1, rejections: 1, ..Used::default() };
        let mut residence = Adaptive::new(Residence::Adaptive);
        windows(&mut residence, 3, WINDOW, Used { was_cold: true, ..warm });
        assert!(!residence.is_l1(), "cold lines are nobody's fault");
        windows(&mut residence, 3, WINDOW, Used { rejections: 0, ..warm });
        assert!(!residence.is_l1(), "tables have room");
        windows(&mut residence, 3, MOST_HANDLERS as u32, warm);
        assert!(!residence.is_l1(), "few are not too many");
        windows(&mut residence, 1, 60, warm);
        assert!(!residence.is_l1(), "once is not always");
        windows(&mut residence, 1, 1000, warm);
        assert!(residence.is_l1());
        // The first window is not counted; the second one is worse than before.
        windows(&mut residence, 2, 2000, warm);
        assert!(!residence.is_l1());
        windows(&mut residence, 2 * MEMORY, 1000, warm);
        assert!(!residence.is_l1(), "the other one was worse");
        windows(&mut residence, 2, 1000, warm);
        assert!(residence.is_l1(), "that was long ago");
    }

    #[test]
    fn a_chosen_residence_stays() {
        for chosen in [Residence::L1, Residence::Llc] {
            let mut residence = Adaptive::new(chosen);
            windows(
                &mut residence,
                4,
                WINDOW,
                Used { software_checks: 1, rejections: 1, ..Used::default() },
            );
            assert_eq!(residence.is_l1(), chosen == Residence::L1);
        }
    }
}
