//! One interpolant: a formula over shared variables that holds in all models of one side and in none of the other.
//!
//! From models (Chockler, Ivrii, Matsliah, Computing interpolants without proofs, HVC 2012): a model of the near side is
//! generalised to a conjunction of predicates that the far side contradicts, and excluded, until the near side has no other
//! models. Here predicates are not the literals of the model but those of [`super::predicates`], and one conjunction covers as many models as it can
//! before a second one is opened (after Albarghouthi and McMillan, Beautiful interpolants, CAV 2013). If that takes too long, the result is the
//! exact precondition or postcondition if elimination found one; otherwise models are projected, with a limit.

use super::chain::Direction;
use super::elimination::eliminate;
use super::oracle::Oracle;
use super::predicates::{Material, Preference, Tiers, Vocabulary};
use super::problem::Problem;
use super::projection::project;
use super::Failure;
use crate::term::{Assignment, Term, Terms};
use crate::Answer;
use base::Budget;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Maximum number of models covered if there is an exact formula to fall back to.
const MAX_MODELS_BEFORE_EXACT: usize = 12;
/// Maximum number of models covered otherwise.
const MAX_MODELS: usize = 40;
/// Maximum number of conjunctions that are tried to cover another model.
const MAX_GROUPS_TO_JOIN: usize = 2;
/// Maximum number of models projected.
const MAX_PROJECTIONS: usize = 96;

/// A far side of more formulas than this is used as elimination left it: different at each position, but smaller.
const LONGEST_UNREDUCED: usize = 16;

/// The two sides to separate, and the position.
struct Sides<'a> {
    /// Both sides, with the easy variables eliminated.
    sources: [Term; 2],
    far: &'a [Term],
    position: usize,
    direction: Direction,
    preference: Preference,
}

/// Models of the near side that one conjunction covers.
struct Group {
    models: Vec<Assignment>,
    cube: Term,
}

/// Separates prefixes of a sequence from what follows them.
pub(super) struct Separator<'a> {
    pub(super) core: &'a Problem,
    pub(super) oracle: &'a mut Oracle,
    pub(super) vocabulary: Vocabulary,
    preferred: &'a IndexSet<Term, FxBuildHasher>,
    /// Predicates in existing labels, in the common vocabulary.
    pub(super) used: IndexSet<Term, FxBuildHasher>,
    /// By position: the formulas before it, with the easy variables eliminated.
    pub(super) before: Vec<Term>,
    /// By position: the formulas after it, with the easy variables eliminated.
    pub(super) after: Vec<Term>,
    /// Whether a position of the current candidate fell back.
    pub(super) has_fallback: bool,
}

impl<'a> Separator<'a> {
    pub(super) fn new(
        terms: &mut Terms,
        core: &'a Problem,
        oracle: &'a mut Oracle,
        preferred: &'a IndexSet<Term, FxBuildHasher>,
    ) -> Separator<'a> {
        let count = core.len();
        let mut before = vec![terms.bool(true)];
        for position in 1..=count {
            let both = terms.and2(before[position - 1], core.formulas[position - 1]);
            before.push(eliminate(terms, both, &core.shared[position]));
        }
        let mut after = vec![terms.bool(true); count + 1];
        for position in (0..count).rev() {
            let both = terms.and2(after[position + 1], core.formulas[position]);
            after[position] = eliminate(terms, both, &core.shared[position]);
        }
        let vocabulary = Vocabulary::new(terms, &core.formulas);
        let used = IndexSet::default();
        Separator { core, oracle, vocabulary, preferred, used, before, after, has_fallback: false }
    }

    /// A formula over the variables shared at the position that `near` implies and the far side contradicts. The far
    /// side is what follows the position if the direction is forwards.
    pub(super) fn separate(
        &mut self,
        terms: &mut Terms,
        near: Term,
        position: usize,
        (direction, preference): (Direction, Preference),
        budget: &Budget,
    ) -> Result<Term, Failure> {
        let core = self.core;
        self.oracle.refresh();
        let near = eliminate(terms, near, &core.shared[position]);
        let (far, far_reduced) = match direction {
            Direction::Forwards => (&core.formulas[position..], self.after[position]),
            Direction::Backwards => (&core.formulas[..position], self.before[position]),
        };
        let far_parts = terms.conjuncts(far_reduced);
        let far = if far.len() > LONGEST_UNREDUCED { &far_parts } else { far };
        let exact = if core.is_shared(terms, position, far_reduced) {
            Some(terms.not(far_reduced))
        } else {
            core.is_shared(terms, position, near).then_some(near)
        };
        let most = if exact.is_some() { MAX_MODELS_BEFORE_EXACT } else { MAX_MODELS };
        let sides = Sides { sources: [near, far_reduced], far, position, direction, preference };
        let mut groups: Vec<Group> = Vec::new();
        for _ in 0..=most {
            let cubes: Vec<Term> = groups.iter().map(|group| group.cube).collect();
            if !self.find_model_beyond(terms, near, &cubes, budget)? {
                return Ok(terms.or(cubes));
            }
            let model = self.oracle.model(terms);
            self.cover(terms, &sides, &mut groups, model, budget)?;
        }
        self.has_fallback = true;
        match exact {
            Some(exact) => Ok(exact),
            None => self.project_models(terms, near, far_reduced, position, budget),
        }
    }

    /// Extends a group to cover one more model, or opens a new one.
    fn cover(
        &mut self,
        terms: &mut Terms,
        sides: &Sides,
        groups: &mut Vec<Group>,
        model: Assignment,
        budget: &Budget,
    ) -> Result<(), Failure> {
        for group in groups.iter_mut().take(MAX_GROUPS_TO_JOIN) {
            group.models.push(model.clone());
            if let Some(cube) = self.generalise(terms, sides, &group.models, budget)? {
                group.cube = cube;
                return Ok(());
            }
            group.models.pop();
        }
        let models = vec![model];
        let cube = self.generalise(terms, sides, &models, budget)?;
        let cube = cube.expect("a model of one side should contradict the other");
        groups.push(Group { models, cube });
        Ok(())
    }

    /// Looks for a model of a formula in which none of the cubes holds.
    fn find_model_beyond(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        cubes: &[Term],
        budget: &Budget,
    ) -> Result<bool, Failure> {
        let mut parts = terms.conjuncts(formula);
        parts.extend(cubes.iter().map(|&cube| terms.not(cube)));
        Ok(self.oracle.check(terms, &parts, budget)? == Answer::Sat)
    }

    /// A conjunction of predicates that holds in the models and that the far side contradicts.
    fn generalise(
        &mut self,
        terms: &mut Terms,
        sides: &Sides,
        models: &[Assignment],
        budget: &Budget,
    ) -> Result<Option<Term>, Failure> {
        let core = self.core;
        let position = sides.position;
        let known: Vec<Term> = self.preferred.iter().chain(&self.used).copied().collect();
        let used: Vec<Term> =
            known.into_iter().filter_map(|predicate| core.local(terms, position, predicate)).collect();
        let shared = &core.shared[position];
        let material = Material {
            vocabulary: &self.vocabulary,
            shared,
            used: &used,
            sources: &sides.sources,
            is_negated: sides.direction == Direction::Backwards,
        };
        let mut tiers = Tiers::new(terms, material, models, sides.preference);
        let choice = self.oracle.first_choice(terms, sides.far, |terms| tiers.next(terms), budget)?;
        let Some(choice) = choice else { return Ok(None) };
        for &predicate in &choice {
            if self.vocabulary.is_without_accidents(terms, predicate) {
                let predicate = core.common(terms, position, predicate);
                self.used.insert(predicate);
            }
        }
        Ok(Some(terms.and(choice)))
    }

    /// The near side as a disjunction of projections, or the negation of the far side as one, whichever ends first.
    fn project_models(
        &mut self,
        terms: &mut Terms,
        near: Term,
        far: Term,
        position: usize,
        budget: &Budget,
    ) -> Result<Term, Failure> {
        let core = self.core;
        let shared = &core.shared[position];
        let (mut near_cubes, mut far_cubes) = (Vec::new(), Vec::new());
        for _ in 0..MAX_PROJECTIONS {
            for (formula, cubes) in [(near, &mut near_cubes), (far, &mut far_cubes)] {
                if !self.find_model_beyond(terms, formula, cubes, budget)? {
                    let either = terms.or(cubes.iter().copied());
                    return Ok(if formula == near { either } else { terms.not(either) });
                }
                let model = self.oracle.model(terms);
                cubes.push(project(terms, formula, shared, &model));
            }
        }
        Err(Failure::TooManyModels { position })
    }
}
