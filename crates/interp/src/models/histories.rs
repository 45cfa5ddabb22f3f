//! Release-acquire memory: for each cell the writes that some thread can still read, in modification order, and for
//! each thread and each write its *view*, the newest write of each cell that it knows of (the operational model of
//! Lahav, Giannarakis and Vafeiadis, POPL 2016, and of Kang et al., POPL 2017, without promises).
//!
//! A thread may read any write that is not older than its view and may place its own write anywhere after its view, but
//! not between a write and the read-modify-write that read it. Writes that no running thread can read are dropped and
//! the rest renumbered; a cell with one write left has no history: its value is in the object. So equal states are
//! recognised, and memory of a single thread costs nothing.

use crate::happens_before::{Clock, Release};
use crate::value::{ObjRef, Value};
use std::rc::Rc;

/// A cell of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The object.
    pub object: ObjRef,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
}

/// The position of the newest known write of some cells. Cells at position 0 are left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct View(Vec<(Cell, u32)>);

impl View {
    /// The position for a cell.
    pub fn get(&self, cell: Cell) -> u32 {
        self.0.binary_search_by_key(&cell, |(other, _)| *other).map_or(0, |index| self.0[index].1)
    }

    fn raise(&mut self, cell: Cell, position: u32) {
        match self.0.binary_search_by_key(&cell, |(other, _)| *other) {
            Ok(index) => self.0[index].1 = self.0[index].1.max(position),
            Err(index) if position > 0 => self.0.insert(index, (cell, position)),
            Err(_) => {}
        }
    }

    fn join(&mut self, other: &View) {
        for (cell, position) in &other.0 {
            self.raise(*cell, *position);
        }
    }

    /// A write was placed at `position`: the one there and later ones move up.
    fn make_room(&mut self, cell: Cell, position: u32) {
        if let Ok(index) = self.0.binary_search_by_key(&cell, |(other, _)| *other) {
            if self.0[index].1 >= position {
                self.0[index].1 += 1;
            }
        }
    }

    /// The first `count` writes were dropped.
    fn drop_first(&mut self, cell: Cell, count: u32) {
        if let Ok(index) = self.0.binary_search_by_key(&cell, |(other, _)| *other) {
            self.0[index].1 = self.0[index].1.saturating_sub(count);
            if self.0[index].1 == 0 {
                self.0.remove(index);
            }
        }
    }
}

/// A write.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    /// The value written.
    pub value: Value,
    /// The view that a reader learns.
    view: View,
    /// Whether it is a read-modify-write that read the preceding write: nothing may be placed in between.
    glued: bool,
    /// The clock that an acquiring reader learns, for races.
    pub release: Release,
    /// The step that made it, when a run is recorded; 0 otherwise.
    pub stamp: usize,
}

impl Message {
    /// The initial write of a cell.
    pub fn initial(value: Value, release: Release, stamp: usize) -> Message {
        Message { value, view: View::default(), glued: false, release, stamp }
    }
}

/// The histories of all cells, and the views of all threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Histories {
    cells: Vec<(Cell, Vec<Message>)>,
    views: Vec<View>,
    /// The view of the hidden location of seq_cst fences.
    fence: View,
    /// The views released at ghost cells (object, offset), whose values are sequentially consistent.
    ghosts: Vec<((ObjRef, i64), View)>,
}

impl Histories {
    fn view(&mut self, thread: u32) -> &mut View {
        let index = thread as usize - 1;
        if self.views.len() <= index {
            self.views.resize(index + 1, View::default());
        }
        &mut self.views[index]
    }

    /// The writes to a cell, if it has a history.
    pub fn messages(&self, cell: Cell) -> Option<&[Message]> {
        let index = self.cells.binary_search_by_key(&cell, |(other, _)| *other).ok()?;
        Some(&self.cells[index].1)
    }

    fn messages_mut(&mut self, cell: Cell) -> &mut Vec<Message> {
        let found = self.cells.binary_search_by_key(&cell, |(other, _)| *other);
        &mut self.cells[found.expect("the cell should have a history")].1
    }

    /// The cells with a history that overlap a range.
    pub fn overlapping(&self, range: Cell) -> impl Iterator<Item = Cell> + '_ {
        self.cells.iter().map(|(cell, _)| *cell).filter(move |cell| {
            cell.object == range.object
                && cell.offset < range.offset + range.len
                && range.offset < cell.offset + cell.len
        })
    }

    /// Gives a cell a history that begins with this write.
    pub fn begin(&mut self, cell: Cell, initial: Message) {
        if let Err(index) = self.cells.binary_search_by_key(&cell, |(other, _)| *other) {
            self.cells.insert(index, (cell, vec![initial]));
        }
    }

    /// The positions of the writes that a thread may read.
    pub fn readable(&mut self, thread: u32, cell: Cell) -> std::ops::Range<u32> {
        let start = self.view(thread).get(cell);
        start..self.messages_mut(cell).len() as u32
    }

    /// Those of them that a read-modify-write may read: not yet read by another one.
    pub fn updatable(&mut self, thread: u32, cell: Cell) -> Vec<u32> {
        let range = self.readable(thread, cell);
        let messages = self.messages_mut(cell);
        range.filter(|position| messages.get(*position as usize + 1).is_none_or(|next| !next.glued)).collect()
    }

    /// The positions where a thread may place a write.
    pub fn places(&mut self, thread: u32, cell: Cell) -> Vec<u32> {
        let range = self.readable(thread, cell);
        let messages = self.messages_mut(cell);
        (range.start + 1..=range.end)
            .filter(|position| messages.get(*position as usize).is_none_or(|next| !next.glued))
            .collect()
    }

    /// A thread reads the write at a position and joins its view.
    pub fn read(&mut self, thread: u32, cell: Cell, position: u32) -> Message {
        let message = self.messages_mut(cell)[position as usize].clone();
        let view = self.view(thread);
        view.join(&message.view);
        view.raise(cell, position);
        message
    }

    /// An undefined value is resolved: all readers get the same.
    pub fn resolve(&mut self, cell: Cell, position: u32, value: Value) {
        self.messages_mut(cell)[position as usize].value = value;
    }

    /// A thread places a write at a position; `glued` if it is a read-modify-write of the preceding one.
    pub fn write(&mut self, thread: u32, cell: Cell, position: u32, glued: bool, message: Message) {
        self.for_each_view(&mut |view| view.make_room(cell, position));
        self.view(thread).raise(cell, position);
        let view = self.view(thread).clone();
        self.messages_mut(cell).insert(position as usize, Message { view, glued, ..message });
    }

    /// A seq_cst fence: a read-modify-write of one hidden location. All its writes are such, so each reads the last.
    pub fn fence(&mut self, thread: u32) {
        let fence = std::mem::take(&mut self.fence);
        self.view(thread).join(&fence);
        self.fence = self.view(thread).clone();
    }

    /// One thread joins another's view: a started thread its parent's, a joining one that of the ended thread.
    pub fn learn(&mut self, thread: u32, from: u32) {
        let view = self.view(from).clone();
        self.view(thread).join(&view);
    }

    /// A thread's number becomes free.
    pub fn retire(&mut self, thread: u32) {
        *self.view(thread) = View::default();
        while self.views.last().is_some_and(|view| view.0.is_empty()) {
            self.views.pop();
        }
    }

    /// A thread acquires the view released at a ghost cell.
    pub fn acquire_ghost(&mut self, thread: u32, cell: (ObjRef, i64)) {
        if let Ok(index) = self.ghosts.binary_search_by_key(&cell, |(other, _)| *other) {
            let view = self.ghosts[index].1.clone();
            self.view(thread).join(&view);
        }
    }

    /// A thread writes a ghost cell; a release stores its view there, and a read-modify-write keeps the view that was
    /// there before.
    pub fn write_ghost(&mut self, thread: u32, cell: (ObjRef, i64), releases: bool, update: bool) {
        let own = if releases { self.view(thread).clone() } else { View::default() };
        match self.ghosts.binary_search_by_key(&cell, |(other, _)| *other) {
            Ok(index) if update => self.ghosts[index].1.join(&own),
            Ok(index) => self.ghosts[index].1 = own,
            Err(index) => self.ghosts.insert(index, (cell, own)),
        }
    }

    /// An object is dead.
    pub fn forget_object(&mut self, object: ObjRef) {
        self.cells.retain(|(cell, _)| cell.object != object);
        self.ghosts.retain(|((other, _), _)| *other != object);
        self.for_each_view(&mut |view| view.0.retain(|(cell, _)| cell.object != object));
    }

    fn for_each_view(&mut self, visit: &mut impl FnMut(&mut View)) {
        self.views.iter_mut().for_each(&mut *visit);
        for (_, messages) in &mut self.cells {
            messages.iter_mut().for_each(|message| visit(&mut message.view));
        }
        self.ghosts.iter_mut().for_each(|(_, view)| visit(view));
        visit(&mut self.fence);
    }

    /// Calls `visit` on every value in a history.
    pub fn for_each_value(&self, visit: &mut impl FnMut(&Value)) {
        self.cells.iter().flat_map(|(_, messages)| messages).for_each(|message| visit(&message.value));
    }

    /// The clocks that writes pass on.
    pub fn releases(&mut self) -> impl Iterator<Item = &mut Rc<Clock>> {
        self.cells.iter_mut().flat_map(|(_, messages)| messages).filter_map(|message| message.release.as_mut())
    }

    /// Whether there are no histories.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Drops the writes that no running thread can read. Cells with one write left lose their history; returns these
    /// writes.
    pub fn collect(&mut self, running: &[u32]) -> Vec<(Cell, Message)> {
        let cells: Vec<Cell> = self.cells.iter().map(|(cell, _)| *cell).collect();
        let mut settled = Vec::new();
        for cell in cells {
            let unreadable = running.iter().map(|thread| self.view(*thread).get(cell)).min().unwrap_or(0);
            if unreadable > 0 {
                self.for_each_view(&mut |view| view.drop_first(cell, unreadable));
                let messages = self.messages_mut(cell);
                messages.drain(..unreadable as usize);
                messages[0].glued = false;
            }
            if self.messages_mut(cell).len() == 1 {
                let index = self.cells.binary_search_by_key(&cell, |(other, _)| *other);
                let (_, mut messages) = self.cells.remove(index.expect("the cell was listed"));
                // Every running thread has reached this write and so knows its view.
                settled.extend(messages.pop().map(|message| (cell, message)));
            }
        }
        self.ghosts.retain(|(_, view)| !view.0.is_empty());
        settled
    }
}
