//! The memory models, and what distinguishes them for the other crates. Each method is an exhaustive match, so the
//! compiler demands a case for a new model; decisions that no method covers are exhaustive matches where they are made.

use crate::property::by_name;
use serde::{Deserialize, Serialize};

/// The memory model of the machine the program runs on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModel {
    /// Sequential consistency.
    Sc,
    /// Total store order: a FIFO store buffer per thread.
    Tso,
    /// Partial store order: store buffers that keep the order of overlapping stores only.
    Pso,
    /// Release-acquire: every store releases, every load acquires.
    Ra,
}

impl MemoryModel {
    /// All models, the strongest first.
    pub const ALL: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Ra];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
            MemoryModel::Ra => "ra",
        }
    }

    /// The next weaker models: they allow all behaviours of this one. (`ra` those of `tso`: only in programs where no
    /// seq_cst load follows a weaker store.)
    pub fn next_weaker(self) -> &'static [MemoryModel] {
        match self {
            MemoryModel::Sc => &[MemoryModel::Tso],
            MemoryModel::Tso => &[MemoryModel::Pso, MemoryModel::Ra],
            MemoryModel::Pso | MemoryModel::Ra => &[],
        }
    }

    /// Whether there is one total order of all accesses that contains program order, in which each read returns the
    /// last write.
    pub fn is_sequentially_consistent(self) -> bool {
        match self {
            MemoryModel::Sc => true,
            MemoryModel::Tso | MemoryModel::Pso | MemoryModel::Ra => false,
        }
    }

    /// The store buffer of each thread, if there is one.
    pub fn store_buffer(self) -> Option<StoreBuffer> {
        match self {
            MemoryModel::Sc | MemoryModel::Ra => None,
            MemoryModel::Tso => Some(StoreBuffer::Fifo),
            MemoryModel::Pso => Some(StoreBuffer::PerLocation),
        }
    }

    /// Whether each thread has a *view*, the newest write of each location that it knows of, and may read any write
    /// that is not older.
    pub fn has_views(self) -> bool {
        match self {
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => false,
            MemoryModel::Ra => true,
        }
    }

    /// Whether a write becomes visible to all other threads at the same moment, so that the modification order of a
    /// location is the order of these moments.
    pub fn is_multi_copy_atomic(self) -> bool {
        match self {
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => true,
            MemoryModel::Ra => false,
        }
    }

    /// Whether every access releases or acquires, whatever its memory order says, and seq_cst accesses have seq_cst
    /// fences next to them. C11 guarantees less, so proofs have to say where they rest on it.
    pub fn strengthens_atomics(self) -> bool {
        match self {
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => false,
            MemoryModel::Ra => true,
        }
    }
}

/// The order in which a store buffer lets stores reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreBuffer {
    /// First in, first out.
    Fifo,
    /// First in, first out at each location; stores to different locations may overtake each other.
    PerLocation,
}

by_name!(MemoryModel);

#[cfg(test)]
mod tests {
    use super::MemoryModel;

    #[test]
    fn models_are_listed_the_strongest_first() {
        for (index, model) in MemoryModel::ALL.into_iter().enumerate() {
            assert_eq!(model.name().parse(), Ok(model));
            assert!(model.next_weaker().iter().all(|weaker| MemoryModel::ALL[index + 1..].contains(weaker)), "{model}");
        }
    }
}
