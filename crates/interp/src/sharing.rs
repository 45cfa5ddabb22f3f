//! Which objects other threads may reach and which statements they may notice.

use ir::{EdgeId, FunctionId, ObjectId, Program};

/// What is shared.
#[derive(Debug)]
pub(crate) struct Sharing {}

impl Sharing {
    pub(crate) fn new(_program: &Program) -> Sharing {
        Sharing {}
    }

    pub(crate) fn is_shared_object(&self, _object: ObjectId) -> bool {
        true
    }

    pub(crate) fn is_visible(&self, _function: FunctionId, _edge: EdgeId, _is_last_frame: bool) -> bool {
        true
    }

    pub(crate) fn is_shared_site(&self, _function: FunctionId, _edge: EdgeId) -> bool {
        true
    }
}
