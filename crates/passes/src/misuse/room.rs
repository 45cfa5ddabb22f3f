//! Room for mutexes and their like. The models access only the ghost record of an address, so an object that is too
//! small for its type would go unnoticed (`malloc(sizeof(pthread_mutex_t *))`).
//!
//! Where a call may be on an object that is too small, the end of the type is checked before it: the last word of the
//! ghost of the type's bytes exists if and only if the object is large enough. The program's own headers define the
//! size of the type, which need not be glibc's. If the debug information does not have the type, such a call is not
//! modelled.
//!
//! As elsewhere in `misuse`, pointers from memory are assumed to point to the beginning of their targets; parameters
//! are tracked to the calls.

use super::trace::Tracer;
use super::{Call, Check, Role};
use ir::analysis::Target;
use ir::{EdgeId, FunctionId, SyncObject};
use rustc_hash::FxHashMap;

/// What is known about the target of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    Enough,
    Unclear,
    /// The object is smaller than a word, so its ghost says nothing.
    Nothing,
}

/// Finds the calls that may be on an object that is too small, with the checks to insert before them. `sizes` gives the
/// size of the smallest type of these names that the program has.
pub(super) fn find<'a>(
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    sizes: &dyn Fn(&[&str]) -> Option<u64>,
) -> Vec<((FunctionId, EdgeId), Check)> {
    let mut known: FxHashMap<SyncObject, Option<u64>> = FxHashMap::default();
    let mut checks = Vec::new();
    for call in calls.iter().filter(|call| call.role != Role::Destroy) {
        let standard = call.bytes as u64;
        if tracer.room(call, standard).iter().all(|room| *room == Room::Enough) {
            continue;
        }
        let size = *known.entry(call.kind.object).or_insert_with(|| sizes(call.kind.types));
        // The ghost of a smaller object has room for a record.
        let rooms = tracer.room(call, size.unwrap_or(standard).max(4));
        let (all, any) = (|room| rooms.iter().all(|one| *one == room), |room| rooms.contains(&room));
        let (pointer, kind) = (call.pointer.clone(), call.kind);
        let check = match size {
            _ if all(Room::Enough) => continue,
            Some(..4) => continue,
            Some(_) if all(Room::Nothing) => Check::NoRoom { kind, is_certain: true },
            Some(bytes) if !any(Room::Nothing) || bytes > 4 => Check::Room { pointer, bytes },
            _ => Check::NoRoom { kind, is_certain: false },
        };
        checks.push((call.site, check));
    }
    checks
}

impl<'a> Tracer<'a> {
    /// What is known about all possible targets of a call.
    fn room(&mut self, call: &Call<'a>, bytes: u64) -> Vec<Room> {
        let mut rooms = Vec::new();
        for &(context, _) in &call.sites {
            for origin in self.origins(context, call.pointer) {
                let bytes = i128::from(bytes) + i128::from(origin.constant);
                for target in self.points_to.targets(origin.context, origin.root) {
                    let Target::Object { memory, context, ghost: false } = target else { continue };
                    rooms.push(match self.size(memory, context) {
                        Some(size) if size >= bytes => Room::Enough,
                        Some(..4) => Room::Nothing,
                        _ => Room::Unclear,
                    });
                }
            }
        }
        rooms
    }
}

/// The last word of the ghost of a type's bytes.
pub(super) fn last_word(bytes: u64) -> u128 {
    u128::from(bytes) * 4 - 4
}
