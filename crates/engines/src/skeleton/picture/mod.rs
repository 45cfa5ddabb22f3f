//! A skeleton for people: its threads, events and link sets as plain text data, for printing ([`Picture::text`]), for
//! Graphviz ([`Picture::dot`]) or as a drawing ([`Picture::svg`]).
//!
//! Events are numbered in program order of each thread, threads in the order they are started. The value read by event
//! 7 is called `r7`, and other unknowns `input3`.

mod dot;
mod svg;
mod terms;

use super::compose::Composition;
use super::events::{Event, EventId, Kind, Skeleton, ThreadId};
use super::objects;
use super::value::{constant, GHOST};
use base::{Id, IdVec};
use ir::analysis::Memory;
use ir::{Program, Stmt};
use smt::Terms;
use std::fmt::Write;
use terms::Words;

/// A possible source of a read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The initial value.
    Start,
    /// The event with this number.
    Event(usize),
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// From 1.
    pub number: usize,
    /// The thread, from 1.
    pub thread: usize,
    /// Its kind, in a word or two.
    pub what: String,
    /// The accessed location.
    pub location: Option<String>,
    /// The written value.
    pub value: Option<String>,
    /// The condition under which it occurs; empty for always.
    pub condition: String,
    /// `line`, or empty.
    pub line: String,
    /// Its immediate predecessors in program order.
    pub after: Vec<usize>,
    /// Its link set, if it is a read.
    pub sources: Option<Vec<Source>>,
}

/// A skeleton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The first functions of the threads, in order.
    pub threads: Vec<String>,
    /// The events, by number.
    pub events: Vec<Drawn>,
    /// Conditions under which the skeleton says nothing more, with positions.
    pub gaps: Vec<String>,
    /// The unrolling bound.
    pub iterations: u32,
}

impl Picture {
    pub(crate) fn new(
        program: &Program,
        skeleton: &Skeleton,
        composition: &Composition,
        terms: &Terms,
        iterations: u32,
    ) -> Picture {
        let mut order: Vec<EventId> = skeleton.events.ids().collect();
        order.sort_by_key(|&id| (skeleton.events[id].thread, id));
        let mut numbers: IdVec<EventId, usize> = IdVec::filled(0, order.len());
        for (index, &id) in order.iter().enumerate() {
            numbers[id] = index + 1;
        }
        let mut painter = Painter { program, skeleton, composition, numbers, words: Words::new(terms) };
        for &id in &order {
            if let Some(read) = skeleton.events[id].read {
                let number = painter.numbers[id];
                painter.words.name(read.bits, format!("r{number}"));
                painter.words.name(read.object, format!("r{number}.object"));
            }
        }
        let events = order.iter().map(|&id| painter.event(id)).collect();
        let mut gaps: Vec<String> = Vec::new();
        for gap in &composition.gaps {
            let text =
                if gap.place.is_empty() { gap.detail.clone() } else { format!("{} ({})", gap.detail, gap.place) };
            if !gaps.contains(&text) {
                gaps.push(text);
            }
        }
        let threads = skeleton.threads.ids().map(|thread| painter.thread_name(thread)).collect();
        Picture { threads, events, gaps, iterations }
    }

    /// The skeleton as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let links: usize = self.events.iter().filter_map(|event| event.sources.as_ref()).map(Vec::len).sum();
        let (threads, events) = (self.threads.len(), self.events.len());
        let _ = writeln!(
            out,
            "{threads} threads, {events} events, {links} links; loops unrolled {} times",
            self.iterations
        );
        for (index, name) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "\nthread {} {name}", index + 1);
            for event in self.events.iter().filter(|event| event.thread == index + 1) {
                let _ = writeln!(out, "  {}", event.text());
            }
        }
        if !self.gaps.is_empty() {
            let _ = writeln!(out, "\ngaps, where they can be reached");
            for gap in &self.gaps {
                let _ = writeln!(out, "  {gap}");
            }
        }
        out
    }
}

impl Drawn {
    /// Its kind, without condition and position.
    pub fn title(&self) -> String {
        let mut title = self.what.clone();
        if let Some(location) = &self.location {
            let _ = write!(title, " {location}");
        }
        if let Some(value) = &self.value {
            let _ = write!(title, " = {value}");
        }
        title
    }

    fn text(&self) -> String {
        let mut text = format!("e{} {}", self.number, self.title());
        if !self.line.is_empty() {
            let _ = write!(text, "  line {}", self.line);
        }
        if !self.condition.is_empty() {
            let _ = write!(text, "  if {}", self.condition);
        }
        if !self.after.is_empty() {
            let _ = write!(text, "  after {}", list(&self.after));
        }
        if let Some(sources) = &self.sources {
            let names: Vec<String> = sources.iter().map(|source| source.name()).collect();
            let _ = write!(text, "  from {{{}}}", names.join(", "));
        }
        text
    }
}

impl Source {
    fn name(self) -> String {
        match self {
            Source::Start => "start".to_owned(),
            Source::Event(number) => format!("e{number}"),
        }
    }
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(|number| format!("e{number}")).collect::<Vec<_>>().join(", ")
}

struct Painter<'a> {
    program: &'a Program,
    skeleton: &'a Skeleton,
    composition: &'a Composition,
    numbers: IdVec<EventId, usize>,
    words: Words<'a>,
}

impl Painter<'_> {
    fn thread_name(&self, thread: ThreadId) -> String {
        // The first statement of a thread is in its entry function.
        match self.skeleton.threads[thread].steps.first() {
            Some(_) if thread.index() == 0 => "main".to_owned(),
            Some(step) => self.program.functions[step.at.0].name.clone(),
            None => "(nothing is known of it)".to_owned(),
        }
    }

    fn event(&mut self, id: EventId) -> Drawn {
        let event = self.skeleton.events[id].clone();
        let mut after: Vec<usize> = event.after.iter().map(|&earlier| self.numbers[earlier]).collect();
        for join in self.skeleton.joins.iter().filter(|join| join.event == id) {
            let exits = join.threads.iter().filter_map(|(thread, _)| self.skeleton.threads[*thread].exit.as_ref());
            after.extend(exits.flat_map(|exit| &exit.last).map(|&last| self.numbers[last]));
        }
        after.sort_unstable();
        after.dedup();
        let is_access = event.bytes > 0 || event.kind == Kind::Kill;
        let location = is_access.then(|| self.location(&event));
        let value = match (&event.kind, event.write) {
            (Kind::Access, Some((condition, value))) => {
                let text = self.words.value(value);
                let condition = self.words.condition(condition);
                Some(if condition.is_empty() { text } else { format!("{text} if {condition}") })
            }
            (Kind::Access | Kind::Lock { .. } | Kind::Unlock { .. } | Kind::Kill, _) => None,
            (Kind::Fence | Kind::Barrier(_) | Kind::Probe | Kind::Mark, _) => None,
        };
        Drawn {
            number: self.numbers[id],
            thread: event.thread.index() + 1,
            what: self.what(id, &event),
            location,
            value,
            condition: self.words.condition(event.occurs),
            line: if event.at.is_known() { event.at.line.to_string() } else { String::new() },
            after,
            sources: self.sources(id, &event),
        }
    }

    fn what(&self, id: EventId, event: &Event) -> String {
        let word = match (&event.kind, event.read.is_some(), event.write.is_some()) {
            (Kind::Access, true, true) => "update",
            (Kind::Access, true, false) => "read",
            (Kind::Access, false, _) => "write",
            (Kind::Lock { .. }, ..) => "lock",
            (Kind::Unlock { .. }, ..) => "unlock",
            (Kind::Kill, ..) => "end of life of",
            (Kind::Fence | Kind::Barrier(_), ..) => "fence",
            (Kind::Probe, ..) => "last look at",
            (Kind::Mark, ..) => return self.mark(id),
        };
        word.to_owned()
    }

    fn mark(&self, id: EventId) -> String {
        if let Some((thread, _)) = self.skeleton.threads.enumerate().find(|(_, thread)| thread.start == Some(id)) {
            return format!("start thread {}", thread.index() + 1);
        }
        if let Some(join) = self.skeleton.joins.iter().find(|join| join.event == id) {
            let threads: Vec<String> =
                join.threads.iter().map(|(thread, _)| (thread.index() + 1).to_string()).collect();
            return format!("join thread {}", threads.join(" or "));
        }
        match self.skeleton.regions.iter().any(|region| region.begin == id) {
            true => "begin atomic region".to_owned(),
            false => "end atomic region".to_owned(),
        }
    }

    fn sources(&self, id: EventId, event: &Event) -> Option<Vec<Source>> {
        event.read?;
        let links = self.composition.reads_from.iter().filter(|(_, _, read)| *read == id);
        let mut sources: Vec<Source> = links.map(|(_, write, _)| Source::Event(self.numbers[*write])).collect();
        if self.composition.initially.contains(&id) {
            sources.push(Source::Start);
        }
        sources.sort_unstable();
        // A lock whose critical sections are ordered has no link set.
        (!sources.is_empty()).then_some(sources)
    }

    fn location(&self, event: &Event) -> String {
        let object = match constant(self.words.terms, event.location.object) {
            Some(number) => self.object(number as u16),
            None => format!("[{}]", self.words.term(event.location.object)),
        };
        let offset = match constant(self.words.terms, event.location.bits) {
            Some(0) => String::new(),
            Some(offset) => format!("+{offset}"),
            None => format!("+{}", self.words.term(event.location.bits)),
        };
        object + &offset
    }

    fn object(&self, number: u16) -> String {
        object_name(self.program, self.skeleton, number)
    }
}

/// The name of an object for people.
pub(crate) fn object_name(program: &Program, skeleton: &Skeleton, number: u16) -> String {
    let ghost = if number & GHOST != 0 { "'" } else { "" };
    let name = match skeleton.objects.get(number) {
        Some(object) => match (object.memory, object.kind) {
            (Some(Memory::Static(id)), _) => program.objects[id].name.clone(),
            (Some(Memory::Site(function, edge)), kind) => {
                let stmt = &program.functions[function].edges[edge].stmt;
                let name = if let Stmt::Alloc { name, .. } = stmt { name.as_str() } else { "memory" };
                let heap = if kind == objects::Kind::Heap { "heap " } else { "" };
                format!("{heap}{name}#{number}", number = number & !GHOST)
            }
            (None, _) => format!("object {}", number & !GHOST),
        },
        None => "null".to_owned(),
    };
    name + ghost
}
