//! Statistics of a run, in the order they were first set, with the unit in the name (`solver_ms`, `states`); and notes
//! of an engine about its way to the answer, line by line, if requested.

/// A small ordered table of named numbers.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    entries: Vec<(String, f64)>,
    notes: Vec<String>,
}

impl Stats {
    /// Sets a number.
    pub fn set(&mut self, name: &str, value: f64) {
        match self.entries.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.entries.push((name.to_owned(), value)),
        }
    }

    /// Adds to a number that starts at 0.
    pub fn add(&mut self, name: &str, value: f64) {
        let old = self.get(name).unwrap_or(0.0);
        self.set(name, old + value);
    }

    /// Adds a line about the way to the answer.
    pub fn note(&mut self, line: impl Into<String>) {
        self.notes.push(line.into());
    }

    /// The notes about the way to the answer.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A number, if it was set.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// All numbers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), *value))
    }
}
