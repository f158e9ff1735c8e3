//! Strongly connected components of a graph of small integers (Tarjan 1972), without recursion.

/// The components of the graph with nodes `0..count`, restricted to the nodes for which `keep` holds; each component
/// ascending, and each before the components that have edges into it (callees first). O(nodes + edges).
pub fn components<I: Iterator<Item = usize>>(
    count: usize,
    keep: impl Fn(usize) -> bool,
    successors: impl Fn(usize) -> I,
) -> Vec<Vec<usize>> {
    let mut search = Search { number: vec![0; count], low: vec![0; count], open: vec![], is_open: vec![false; count] };
    let mut found = Vec::new();
    let mut next_number = 1;
    let mut path: Vec<(usize, I)> = Vec::new();
    for root in (0..count).filter(|&n| keep(n)) {
        if search.number[root] != 0 {
            continue;
        }
        search.enter(root, &mut next_number);
        path.push((root, successors(root)));
        while let Some((node, edges)) = path.last_mut() {
            let node = *node;
            let Some(next) = edges.next() else {
                path.pop();
                if let Some((parent, _)) = path.last() {
                    search.low[*parent] = search.low[*parent].min(search.low[node]);
                }
                if search.low[node] == search.number[node] {
                    found.push(search.close(node));
                }
                continue;
            };
            if !keep(next) {
                continue;
            }
            if search.number[next] == 0 {
                search.enter(next, &mut next_number);
                path.push((next, successors(next)));
            } else if search.is_open[next] {
                search.low[node] = search.low[node].min(search.number[next]);
            }
        }
    }
    found
}

/// Tarjan's numbering; `number` 0 means not visited, `open` holds the visited nodes without a finished component.
struct Search {
    number: Vec<u32>,
    low: Vec<u32>,
    open: Vec<usize>,
    is_open: Vec<bool>,
}

impl Search {
    fn enter(&mut self, node: usize, next_number: &mut u32) {
        self.number[node] = *next_number;
        self.low[node] = *next_number;
        *next_number += 1;
        self.open.push(node);
        self.is_open[node] = true;
    }

    fn close(&mut self, root: usize) -> Vec<usize> {
        let start = self.open.iter().rposition(|&n| n == root).expect("a component's root is still open");
        let mut component = self.open.split_off(start);
        for &node in &component {
            self.is_open[node] = false;
        }
        component.sort_unstable();
        component
    }
}
