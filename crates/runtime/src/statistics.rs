//! What detectors counted, put together.

use warpsan_report::Statistic;

/// The ending of names whose values are the most that there was at one time: these do not add up.
const PEAK: &str = "(peak)";

/// Adds what one process or one seed counted to what there is. The order is that of the first.
pub fn add_statistics(all: &mut Vec<Statistic>, more: impl IntoIterator<Item = Statistic>) {
    for one in more {
        match all.iter_mut().find(|known| known.name == one.name) {
            Some(known) if known.name.ends_with(PEAK) => known.value = known.value.max(one.value),
            Some(known) => known.value = known.value.saturating_add(one.value),
            None => all.push(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_peaks_do_not() {
        let statistic = |name: &str, value| Statistic { name: name.to_string(), value };
        let mut all = Vec::new();
        add_statistics(&mut all, [statistic("reads", 5), statistic("bytes (peak)", 7)]);
        add_statistics(&mut all, [statistic("bytes (peak)", 3), statistic("reads", 2)]);
        add_statistics(&mut all, [statistic("writes", 1)]);
        let expected =
            [statistic("reads", 7), statistic("bytes (peak)", 7), statistic("writes", 1)];
        assert_eq!(all, expected);
    }
}
