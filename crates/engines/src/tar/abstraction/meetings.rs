//! May-happen-in-parallel for kinds of threads (templates): which may be alive at the same time, by starts and joins,
//! over the nodes of the model.
//!
//! For each node: the kinds of threads that a thread there, or one that it started, may have started and that may still
//! be alive. A join ends one kind of thread only if the joining thread ever starts at most one thread of that kind: it
//! is started at one place that lies on no cycle, and nowhere else, and the joining thread does not start, through
//! others, threads of its own kind. Two threads of which neither is an ancestor of the other are *siblings*: they
//! descend from two threads that a third one started. When it started the second, the first one or some thread on the
//! path from it to its descendant was alive, so the descendant's kind was among those that may be alive there.

use super::control::SiteId;
use super::model::{Model, NodeId, StepId, TemplateId};
use base::IdVec;
use std::collections::{BTreeMap, BTreeSet};

type Templates = BTreeSet<TemplateId>;

/// Which thread a start creates, by the site that allocated its number, and which thread a step joins.
#[derive(Clone, Default, Debug)]
pub(super) struct Handles {
    /// The nodes that allocate numbers at a site.
    pub(super) made: BTreeMap<SiteId, BTreeSet<NodeId>>,
    /// By the number of the start.
    pub(super) started: BTreeMap<usize, SiteId>,
    pub(super) joined: BTreeMap<StepId, SiteId>,
}

/// Records in the model which threads may meet.
pub(super) fn find(model: &mut Model, handles: &Handles) {
    let families = families(model);
    let ended: BTreeMap<StepId, TemplateId> = handles
        .joined
        .iter()
        .filter_map(|(&step, &handle)| Some((step, only(model, &families, handles, handle)?)))
        .collect();
    spread(model, &families, &ended);
    let mut siblings: IdVec<TemplateId, Templates> = IdVec::filled(BTreeSet::new(), model.templates.len());
    for start in &model.starts {
        let started = model.nodes[start.entry].template;
        pair(&mut siblings, &model.nodes[start.from].started, &families[started]);
    }
    for template in model.templates.ids() {
        model.templates[template].siblings = std::mem::take(&mut siblings[template]);
    }
}

fn pair(siblings: &mut IdVec<TemplateId, Templates>, some: &Templates, others: &Templates) {
    for &one in some {
        for &other in others {
            siblings[one].insert(other);
            siblings[other].insert(one);
        }
    }
}

/// The transitive closure of "starts", per kind.
fn families(model: &Model) -> IdVec<TemplateId, Templates> {
    let mut families: IdVec<TemplateId, Templates> =
        model.templates.ids().map(|template| BTreeSet::from([template])).collect();
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for start in &model.starts {
            let (parent, child) = (model.nodes[start.from].template, model.nodes[start.entry].template);
            let family = families[child].clone();
            for template in model.templates.ids() {
                if families[template].contains(&parent) {
                    let before = families[template].len();
                    families[template].extend(family.iter().copied());
                    is_stable &= families[template].len() == before;
                }
            }
        }
    }
    families
}

/// The kind of the thread with this number, if the joining thread has started only one thread of that kind.
fn only(
    model: &Model,
    families: &IdVec<TemplateId, Templates>,
    handles: &Handles,
    handle: SiteId,
) -> Option<TemplateId> {
    let mut starts = handles.started.iter().filter(|(_, made)| **made == handle);
    let (&index, _) = starts.next()?;
    let is_one = starts.next().is_none();
    let start = &model.starts[index];
    let template = model.nodes[start.entry].template;
    let entries = model.starts.iter().filter(|other| model.nodes[other.entry].template == template);
    let made = handles.made.get(&handle).filter(|made| made.len() == 1).and_then(|made| made.first().copied())?;
    let is_same_thread = model.nodes[made].template == model.nodes[start.from].template;
    let is_once = is_one && entries.count() == 1 && !is_on_cycle(model, start.from) && !is_on_cycle(model, made);
    let parent = model.nodes[start.from].template;
    let is_parent_again = model.starts.iter().any(|other| {
        model.nodes[other.entry].template == parent && families[parent].contains(&model.nodes[other.from].template)
    });
    (is_once && is_same_thread && !is_parent_again && parent != template).then_some(template)
}

fn is_on_cycle(model: &Model, node: NodeId) -> bool {
    let mut is_seen = IdVec::filled(false, model.nodes.len());
    let mut work = vec![node];
    while let Some(at) = work.pop() {
        for &step in &model.nodes[at].steps {
            let to = model.steps[step].to;
            if to == node {
                return true;
            }
            if !std::mem::replace(&mut is_seen[to], true) {
                work.push(to);
            }
        }
    }
    false
}

/// The started threads that may be alive at each node.
fn spread(model: &mut Model, families: &IdVec<TemplateId, Templates>, ended: &BTreeMap<StepId, TemplateId>) {
    let mut work: Vec<NodeId> = model.nodes.ids().collect();
    work.reverse();
    while let Some(node) = work.pop() {
        let mut alive = model.nodes[node].started.clone();
        for start in model.starts.iter().filter(|start| start.from == node) {
            alive.extend(families[model.nodes[start.entry].template].iter().copied());
        }
        for step in model.nodes[node].steps.clone() {
            let mut after = alive.clone();
            if let Some(template) = ended.get(&step) {
                after.remove(template);
            }
            let to = model.steps[step].to;
            let before = model.nodes[to].started.len();
            model.nodes[to].started.extend(after);
            if model.nodes[to].started.len() != before {
                work.push(to);
            }
        }
    }
}
