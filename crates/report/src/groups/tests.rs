use super::*;
use crate::samples::{barrier, out_of_bounds, position, race, race_with_related_places, report};

fn at(lines: (u32, u32)) -> Race {
    let mut race = race();
    for (side, line) in [(&mut race.first, lines.0), (&mut race.second, lines.1)] {
        side.position.as_mut().unwrap().line = line;
    }
    race
}

fn on(mut race: Race, label: &str) -> Race {
    race.location.allocation.as_mut().unwrap().label = label.into();
    race
}

fn ids<const N: usize>(races: [Race; N]) -> [u64; N] {
    group_ids(&races).try_into().unwrap()
}

#[test]
fn races_on_one_array_that_lack_the_same_piece_are_a_group() {
    let mut elsewhere = at((5, 6));
    elsewhere.location.allocation.as_mut().unwrap().offset = 0;
    assert_eq!(ids([at((1, 2)), at((3, 4)), elsewhere]), [1, 1, 1]);
    assert_eq!(ids([at((1, 2)), on(at((1, 2)), "other")]), [1, 2], "another array");
    let advised = Race { advice: "use an atomic".into(), ..at((3, 4)) };
    assert_eq!(ids([at((1, 2)), advised]), [1, 2], "another piece is missing");
    let of_kind = Race { kind: RaceKind::Scope, ..at((3, 4)) };
    assert_eq!(ids([at((1, 2)), of_kind]), [1, 2], "another kind");
    let mut global = at((3, 4));
    global.location.space = Some(Space::Global);
    assert_eq!(ids([at((1, 2)), global]), [1, 2], "memory of another space");
}

#[test]
fn instances_of_a_template_are_one_kernel_and_two_kernels_are_not() {
    let of = |kernel: &str| Race { kernel: kernel.into(), ..at((1, 2)) };
    assert_eq!(ids([of("k<int>"), of("k<float>"), of("k2<int>")]), [1, 1, 2]);
    let between = |kernel: &str| Race { kind: RaceKind::InterKernel, ..of(kernel) };
    assert_eq!(ids([between("one"), between("other")]), [1, 1], "neither of two launches lacks it");
}

#[test]
fn what_one_flag_hands_over_is_a_group_whatever_it_is() {
    let handed_over = |label: &str| on(race_with_related_places(), label);
    assert_eq!(ids([handed_over("a"), at((1, 2)), handed_over("b")]), [1, 2, 1]);
    let mut by_another = handed_over("b");
    by_another.related.truncate(1);
    by_another.related[0].position = Some(position("sum.cu", 77));
    assert_eq!(ids([handed_over("a"), by_another.clone()]), [1, 2], "another fence");
    // The third shares its array with the second, and its flag with the first.
    let third = on(race_with_related_places(), "b");
    assert_eq!(ids([handed_over("a"), by_another, third]), [1, 1, 1]);
}

#[test]
fn what_has_no_object_is_alone() {
    let mut unknown = [at((1, 2)), at((3, 4))];
    unknown.iter_mut().for_each(|race| race.location.allocation = None);
    assert_eq!(ids(unknown), [1, 2]);
    let mut barriers = [barrier(), barrier()];
    barriers[1].kernel = "other".into();
    assert_eq!(ids(barriers), [1, 2]);
    assert_eq!(ids([out_of_bounds(), out_of_bounds()]), [1, 2]);
    assert!(group_ids(&[]).is_empty());
}

#[test]
fn the_worst_of_a_group_is_shown_in_full_and_the_order_of_processes_does_not_show() {
    let mild = Race { severity: crate::Severity::Warning, ..at((1, 2)) };
    let all = [mild, at((9, 9)), at((5, 6)), on(at((7, 7)), "other")];
    let mut wanted = None;
    for turn in 0..all.len() {
        let mut races = all.to_vec();
        races.rotate_left(turn);
        let mut report = report(races);
        report.sort();
        let groups = report.groups();
        let lines: Vec<Vec<u32>> = groups
            .iter()
            .map(|group| group.races().map(|race| race.second.line()).collect())
            .collect();
        assert_eq!(lines, [vec![6, 9, 2], vec![7]]);
        assert_eq!(groups.iter().map(|group| group.id).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(*wanted.get_or_insert(lines.clone()), lines);
    }
}
