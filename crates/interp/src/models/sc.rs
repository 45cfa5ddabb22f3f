//! Sequential consistency: accesses take effect in the object itself, one after the other.

use super::{Access, Model};
use crate::happens_before::Release;
use crate::memory::{Change, Found};
use crate::step::{Interrupt, Step};
use crate::value::Value;
use ir::Order;

#[derive(Debug)]
pub(super) struct Sc;

impl Model for Sc {
    fn read(&self, step: &mut Step<'_, '_>, access: &Access) -> Result<Found, Interrupt> {
        step.read_object(access)
    }

    fn write(&self, step: &mut Step<'_, '_>, access: &Access, value: Value, release: Release) -> Result<(), Interrupt> {
        step.note_write(access, value, false);
        step.write_object(access, value, release);
        Ok(())
    }

    fn update<'a, 'p>(
        &self,
        step: &mut Step<'a, 'p>,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Step<'a, 'p>>,
    ) -> Result<Value, Interrupt> {
        Ok(step.update_object(access, failure, change)?.0)
    }

    fn fence(&self, _step: &mut Step<'_, '_>, _order: Order) {}

    fn is_direct(&self) -> bool {
        true
    }
}
