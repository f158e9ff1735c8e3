//! A persistent array: clones share everything, and a write copies only the way to what is written.

use std::rc::Rc;

/// Items by index; absent ones cost nothing. Cloning is O(1); reading and writing is O(log n), and the first write
/// after a clone copies one node of `N` pointers per level and the item. `N` is a power of two.
pub(super) struct Tree<T, const N: usize> {
    root: Option<Rc<Node<T, N>>>,
    /// Levels of inner nodes.
    height: u32,
}

enum Node<T, const N: usize> {
    Inner([Option<Rc<Node<T, N>>>; N]),
    Leaf([Option<Rc<T>>; N]),
}

impl<T, const N: usize> Clone for Tree<T, N> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone(), height: self.height }
    }
}

impl<T, const N: usize> Clone for Node<T, N> {
    fn clone(&self) -> Self {
        match self {
            Node::Inner(children) => Node::Inner(children.clone()),
            Node::Leaf(items) => Node::Leaf(items.clone()),
        }
    }
}

impl<T, const N: usize> Default for Tree<T, N> {
    fn default() -> Self {
        Self { root: None, height: 0 }
    }
}

impl<T, const N: usize> Node<T, N> {
    fn empty(level: u32) -> Self {
        match level {
            0 => Node::Leaf([const { None }; N]),
            _ => Node::Inner([const { None }; N]),
        }
    }
}

impl<T, const N: usize> Tree<T, N> {
    const BITS: u32 = N.trailing_zeros();

    const fn digit(index: usize, level: u32) -> usize {
        (index >> (Self::BITS * level)) & (N - 1)
    }

    /// Whether a tree of this height has no place for an index.
    const fn is_beyond(index: usize, height: u32) -> bool {
        index >> (Self::BITS * (height + 1)) != 0
    }

    /// The item at an index.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        if Self::is_beyond(index, level) {
            return None;
        }
        loop {
            match node {
                Node::Inner(children) => node = children[Self::digit(index, level)].as_deref()?,
                Node::Leaf(items) => return items[Self::digit(index, 0)].as_deref(),
            }
            level -= 1;
        }
    }

    /// Indices and items, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let mut todo: Vec<(&Node<T, N>, u32, usize)> = Vec::new();
        todo.extend(self.root.as_deref().map(|root| (root, self.height, 0)));
        let leaves = std::iter::from_fn(move || {
            while let Some((node, level, first)) = todo.pop() {
                let children = match node {
                    Node::Leaf(items) => return Some((items, first)),
                    Node::Inner(children) => children,
                };
                let step = 1 << (Self::BITS * level);
                let below = children.iter().enumerate().rev();
                todo.extend(below.filter_map(|(i, c)| Some((c.as_deref()?, level - 1, first + i * step))));
            }
            None
        });
        leaves.flat_map(|(items, first)| {
            items.iter().enumerate().filter_map(move |(i, item)| Some((first + i, item.as_deref()?)))
        })
    }
}

/// A node of one of two trees that are compared, with the tree's height; the lower tree is the first child of what it
/// lacks.
struct Side<'a, T, const N: usize> {
    node: Option<&'a Rc<Node<T, N>>>,
    height: u32,
}

impl<T, const N: usize> Clone for Side<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Side<'_, T, N> {}

impl<'a, T, const N: usize> Side<'a, T, N> {
    fn child(self, level: u32, i: usize) -> Self {
        let node = match self.node.map(|node| &**node) {
            _ if self.height < level => self.node.filter(|_| i == 0),
            Some(Node::Inner(children)) => children[i].as_ref(),
            Some(Node::Leaf(_)) | None => None,
        };
        Self { node, ..self }
    }

    fn item(self, i: usize) -> Option<&'a Rc<T>> {
        match &**self.node? {
            Node::Leaf(items) => items[i].as_ref(),
            Node::Inner(_) => None,
        }
    }

    fn is_shared(self, other: Self) -> bool {
        match (self.node, other.node) {
            (None, None) => true,
            (Some(a), Some(b)) => self.height == other.height && Rc::ptr_eq(a, b),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

/// Told of each place with what two trees have there; says whether to go on.
pub(super) type Visit<'v, T> = dyn FnMut(usize, Option<&T>, Option<&T>) -> bool + 'v;

/// How two trees are compared.
struct Walk<'v, T> {
    /// Whether what both share is left out.
    skips_shared: bool,
    visit: &'v mut Visit<'v, T>,
}

impl<T> Walk<'_, T> {
    fn go<const N: usize>(&mut self, level: u32, first: usize, a: Side<'_, T, N>, b: Side<'_, T, N>) -> bool {
        if (a.node.is_none() && b.node.is_none()) || (self.skips_shared && a.is_shared(b)) {
            return true;
        }
        if level > 0 {
            let step = 1 << (Tree::<T, N>::BITS * level);
            return (0..N).all(|i| self.go(level - 1, first + i * step, a.child(level, i), b.child(level, i)));
        }
        (0..N).all(|i| match (a.item(i), b.item(i)) {
            (None, None) => true,
            (Some(a), Some(b)) if self.skips_shared && Rc::ptr_eq(a, b) => true,
            (a, b) => (self.visit)(first + i, a.map(|a| &**a), b.map(|b| &**b)),
        })
    }
}

impl<T, const N: usize> Tree<T, N> {
    /// Visits the items of two trees side by side, in the order of their indices, until told to stop; whether it never
    /// was. With `skips_shared` only those that may differ: O(what was written since one was cloned).
    pub(super) fn compare(&self, other: &Self, skips_shared: bool, visit: &mut Visit<'_, T>) -> bool {
        let a = Side { node: self.root.as_ref(), height: self.height };
        let b = Side { node: other.root.as_ref(), height: other.height };
        Walk { skips_shared, visit }.go(self.height.max(other.height), 0, a, b)
    }
}

impl<T: Clone, const N: usize> Tree<T, N> {
    /// The item at an index, for writing.
    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let mut level = self.height;
        if Self::is_beyond(index, level) {
            return None;
        }
        let mut node = Rc::make_mut(self.root.as_mut()?);
        loop {
            match node {
                Node::Inner(children) => node = Rc::make_mut(children[Self::digit(index, level)].as_mut()?),
                Node::Leaf(items) => return items[Self::digit(index, 0)].as_mut().map(Rc::make_mut),
            }
            level -= 1;
        }
    }

    /// The place of an index, made if there is none; the item there is shared with clones.
    fn place(&mut self, index: usize) -> &mut Option<Rc<T>> {
        while Self::is_beyond(index, self.height) {
            if let Some(root) = self.root.take() {
                let mut children = [const { None }; N];
                children[0] = Some(root);
                self.root = Some(Rc::new(Node::Inner(children)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut node = Rc::make_mut(self.root.get_or_insert_with(|| Rc::new(Node::empty(level))));
        loop {
            match node {
                Node::Inner(children) => {
                    level -= 1;
                    let child = &mut children[Self::digit(index, level + 1)];
                    node = Rc::make_mut(child.get_or_insert_with(|| Rc::new(Node::empty(level))));
                }
                Node::Leaf(items) => return &mut items[Self::digit(index, 0)],
            }
        }
    }

    /// The item at an index for writing, made by `make` if there is none.
    pub(super) fn get_or_make(&mut self, index: usize, make: impl FnOnce() -> T) -> &mut T {
        Rc::make_mut(self.place(index).get_or_insert_with(|| Rc::new(make())))
    }

    /// Replaces the item at an index.
    pub(super) fn set(&mut self, index: usize, item: T) {
        *self.place(index) = Some(Rc::new(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_where_they_are_while_it_grows() {
        let mut tree = Tree::<_, 32>::default();
        let indices = [0, 1, 31, 32, 1023, 1024, 40_000, 3_000_000];
        for &i in &indices {
            tree.set(i, i);
            for &j in &indices {
                assert_eq!(tree.get(j).copied(), (j <= i).then_some(j), "{j} after {i}");
            }
        }
        assert_eq!(tree.iter().map(|(i, &item)| (i, item)).collect::<Vec<_>>(), indices.map(|i| (i, i)));
        assert_eq!(tree.get(2), None);
        assert_eq!(tree.get(usize::MAX), None);
    }

    #[test]
    fn a_clone_keeps_what_it_had() {
        let mut tree = Tree::<_, 16>::default();
        for i in 0..2000 {
            *tree.get_or_make(i, || 0) += i;
        }
        let before = tree.clone();
        *tree.get_mut(1500).expect("it was set") = 1;
        tree.set(5000, 2);
        assert_eq!((before.get(1500), before.get(5000)), (Some(&1500), None));
        assert_eq!((tree.get(1500), tree.get(5000), tree.get(7)), (Some(&1), Some(&2), Some(&7)));
        assert!(std::ptr::eq(before.get(7).expect("set"), tree.get(7).expect("set")), "the rest is shared");
    }

    #[test]
    fn comparing_visits_what_was_written_since_a_clone() {
        let mut tree = Tree::<_, 16>::default();
        (0..300).for_each(|i| tree.set(i, i));
        let before = tree.clone();
        tree.set(7, 70);
        tree.set(5000, 1);
        let mut seen = Vec::new();
        let mut visit = |i: usize, a: Option<&usize>, b: Option<&usize>| {
            seen.push((i, a.copied(), b.copied()));
            true
        };
        assert!(before.compare(&tree, true, &mut visit), "nothing says stop");
        // That the tree got higher does not make it another one.
        assert_eq!(seen, [(7, Some(7), Some(70)), (5000, None, Some(1))]);
        let mut count = 0;
        assert!(before.compare(&tree, false, &mut |_, _, _| {
            count += 1;
            true
        }));
        assert_eq!(count, 301);
        assert!(!before.compare(&tree, true, &mut |_, _, _| false), "it says stop");
    }
}
