//! Which nodes of a graph are on cycles.

/// Whether each node is on a cycle: strongly connected components, by Tarjan's algorithm without recursion of our
/// own. Its time is that of looking at each edge once.
pub(crate) fn on_cycles(edges: &[Vec<usize>]) -> Vec<bool> {
    let count = edges.len();
    let mut found = vec![false; count];
    let mut order = vec![usize::MAX; count];
    let mut lowest = vec![usize::MAX; count];
    let mut on_stack = vec![false; count];
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in 0..count {
        let mut open = vec![(root, 0)];
        while let Some((node, edge)) = open.pop() {
            if edge == 0 {
                if order[node] != usize::MAX {
                    continue;
                }
                order[node] = next;
                lowest[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            } else {
                let before = edges[node][edge - 1];
                if on_stack[before] {
                    lowest[node] = lowest[node].min(lowest[before]);
                }
            }
            if let Some(&target) = edges[node].get(edge) {
                open.push((node, edge + 1));
                open.push((target, 0));
            } else if lowest[node] == order[node] {
                let first = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                let component = stack.split_off(first);
                for &member in &component {
                    on_stack[member] = false;
                    found[member] = component.len() > 1 || edges[member].contains(&member);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_one_of_two_and_of_many_are_seen() {
        // 0 ▶ 1 ▶ 2 ▶ 1, 3 ▶ 3, 4 ▶ 5 ▶ 6 ▶ 4 with 6 ▶ 0.
        let edges = [vec![1], vec![2], vec![1], vec![3], vec![5], vec![6], vec![4, 0]];
        assert_eq!(on_cycles(&edges), [false, true, true, true, true, true, true]);
        assert_eq!(on_cycles(&[vec![1, 1], vec![]]), [false, false]);
    }
}
