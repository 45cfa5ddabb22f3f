//! The transitive closure of one order's graph, maintained as edges are added and undone.
//!
//! Italiano's algorithm ("Amortized efficiency of a path retrieval data structure", 1986) on rows of bits: an edge u →
//! v that adds reachability joins the row of v into the rows of u's ancestors, found by walking backwards from u and
//! stopping where v was reachable already. A reachability query, and hence whether an edge would close a cycle, is one
//! bit. The closure was preferred to a topological order (Pearce and Kelly 2006; Bender, Fineman, Gilbert and Tarjan
//! 2016, used by Deagle) because it names every pair that *became* reachable, and so each literal that must now be
//! false, without searching for it. Costs: n² bits for n nodes, twice; an edge at most n·n/64 word operations, once per
//! branch of the search for each new pair; undoing an edge the words it changed.

/// The closure. Nodes are numbers within the order.
#[derive(Default, Debug)]
pub(super) struct Closure {
    nodes: usize,
    /// Words per row.
    stride: usize,
    /// Bit b of row a: b is reachable from a. Every node is reachable from itself.
    rows: Vec<u64>,
    /// Bit b of row a: whether `insert` must report when b becomes reachable from a.
    wanted: Vec<u64>,
    /// Sources of the edges that added reachability, by target.
    sources: Vec<Vec<u32>>,
    /// Changed words with their old values.
    trail: Vec<Word>,
    /// Reused by `insert`.
    stack: Vec<u32>,
    news: Vec<(u32, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    row: u32,
    word: u32,
    before: u64,
}

/// A state to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Closure {
    /// Makes room for nodes with numbers below `nodes`.
    pub(super) fn grow(&mut self, nodes: usize) {
        let stride = nodes.div_ceil(64);
        if stride > self.stride {
            let stride = stride.next_power_of_two();
            for matrix in [&mut self.rows, &mut self.wanted] {
                let mut wider = vec![0; stride * self.nodes];
                for node in 0..self.nodes {
                    let row = &matrix[node * self.stride..(node + 1) * self.stride];
                    wider[node * stride..node * stride + self.stride].copy_from_slice(row);
                }
                *matrix = wider;
            }
            self.stride = stride;
        }
        self.rows.resize(nodes * self.stride, 0);
        self.wanted.resize(nodes * self.stride, 0);
        self.sources.resize(nodes, Vec::new());
        for node in self.nodes..nodes {
            self.rows[node * self.stride + node / 64] |= 1 << (node % 64);
        }
        self.nodes = nodes;
    }

    /// Whether there is a path, or the nodes are the same.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        self.rows[from * self.stride + to / 64] >> (to % 64) & 1 == 1
    }

    /// Requests that `insert` reports when `to` becomes reachable from `from`.
    pub(super) fn want(&mut self, from: usize, to: usize) {
        self.wanted[from * self.stride + to / 64] |= 1 << (to % 64);
    }

    /// Adds an edge that closes no cycle and whose target was not reachable from its source. Adds the wanted pairs that
    /// became reachable to `found`.
    pub(super) fn insert(&mut self, from: usize, to: usize, found: &mut Vec<(u32, u32)>) -> Mark {
        debug_assert!(!self.reaches(to, from) && !self.reaches(from, to), "the edge should be new");
        let mark = Mark(self.trail.len());
        self.sources[to].push(from as u32);
        let row = &self.rows[to * self.stride..(to + 1) * self.stride];
        self.news.clear();
        self.news
            .extend(row.iter().enumerate().filter(|(_, &bits)| bits != 0).map(|(word, &bits)| (word as u32, bits)));
        self.stack.push(from as u32);
        while let Some(node) = self.stack.pop() {
            if self.reaches(node as usize, to) {
                continue;
            }
            let base = node as usize * self.stride;
            for &(word, bits) in &self.news {
                let place = base + word as usize;
                let before = self.rows[place];
                let fresh = bits & !before;
                if fresh == 0 {
                    continue;
                }
                self.trail.push(Word { row: node, word, before });
                self.rows[place] = before | fresh;
                let mut hits = fresh & self.wanted[place];
                while hits != 0 {
                    found.push((node, word * 64 + hits.trailing_zeros()));
                    hits &= hits - 1;
                }
            }
            self.stack.extend_from_slice(&self.sources[node as usize]);
        }
        mark
    }

    /// Undoes the last insertion, which led to `to` and returned this mark.
    pub(super) fn undo(&mut self, to: usize, mark: Mark) {
        for Word { row, word, before } in self.trail.drain(mark.0..).rev() {
            self.rows[row as usize * self.stride + word as usize] = before;
        }
        self.sources[to].pop();
    }

    /// Makes all insertions so far permanent.
    pub(super) fn settle(&mut self) {
        self.trail.clear();
    }
}
