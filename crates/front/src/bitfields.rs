//! Bit-fields. C11 3.14 makes adjacent bit-fields of non-zero width one memory location. clang accesses a long sequence of them in
//! several units, so that accesses to two of them need not overlap. An access to one unit is therefore preceded by plain loads of the rest of the
//! location: they change nothing, and conflict with writes of other threads there.
//!
//! Only clang knows which bit-fields are adjacent: debug information does not have members of width zero. So clang dumps the layouts of a program
//! with bit-fields. The address computation determines the structure of an access; at the beginning of a structure there is none, and then all
//! structures with such a unit there are considered. Where they differ, the type of the variable or of the pointer variable decides, and otherwise
//! the access is a gap.

use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use crate::llvm::{Module, Opcode, Pointee, Ty, TypeKind, Value};
use crate::simplify;
use ir::{Access, Expr, Order, Stmt, Type};
use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes, counted from the beginning of a structure.
type Bytes = Range<u64>;

/// The structures and unions of a program that have bit-fields.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Records(Vec<Record>);

/// A structure or union.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Record {
    /// Its name in the source (`last_name`); `None` if it has none.
    name: Option<String>,
    /// In bytes.
    size: u64,
    /// Its memory locations that are bit-fields: the bits of each field.
    locations: Vec<Vec<Range<u64>>>,
}

/// The structure that an address refers to, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kind {
    name: Option<String>,
    /// `None` if unknown.
    size: Option<u64>,
}

/// The declared type of an address.
enum Meant {
    /// A structure or union.
    Structure(Kind),
    /// Something else.
    Other,
    /// Unknown.
    Unknown,
}

/// Whether the program may access a bit-field.
pub(crate) fn occur(module: &Module<'_>) -> bool {
    let of_source = module.functions().filter(|function| function.has_blocks());
    let mut instructions = of_source.flat_map(|function| function.blocks()).flat_map(|block| block.instructions());
    instructions.any(is_read) || module.has_whole_bit_field()
}

/// Whether an instruction loads a unit: to read a bit-field, or to change it and leave the rest of the unit as it is.
fn is_read(instruction: Value<'_>) -> bool {
    instruction.opcode() == Some(Opcode::LLVMLoad) && instruction.name().starts_with("bf.load")
}

impl Records {
    /// Parses the output of clang's `-fdump-record-layouts`.
    pub(crate) fn read(text: &str) -> Records {
        let mut records = Vec::new();
        let mut lines = text.lines();
        while lines.by_ref().any(|line| line == "*** Dumping AST Record Layout") {
            records.extend(Record::read(&mut lines).filter(|record| !record.locations.is_empty()));
        }
        Records(records)
    }

    /// Adds the records of another file.
    pub(crate) fn add(&mut self, other: Records) {
        self.0.extend(other.0);
    }

    /// The possible remaining bytes of the location, for a unit of some bytes.
    fn rests(&self, unit: &Bytes, kind: Option<&Kind>, is_whole: bool) -> BTreeSet<Vec<(u64, u64)>> {
        let meant = self.0.iter().filter(|record| kind.is_none_or(|kind| record.is(kind)));
        meant.filter_map(|record| record.rest(unit, is_whole)).collect()
    }
}

impl Record {
    fn read<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Record> {
        let (_, head) = lines.next()?.split_once(" | ")?;
        let is_union = head.starts_with("union");
        let name = head.split_once(' ').map_or(head, |(_, name)| name);
        let name = (!name.contains('(')).then(|| last_name(name));
        let mut locations: Vec<Vec<Range<u64>>> = Vec::new();
        let mut is_open = false;
        for line in lines {
            let (place, member) = line.split_once(" | ")?;
            if let Some((_, rest)) = member.split_once("[sizeof=") {
                let size = rest.split([',', ']']).next()?.parse().ok()?;
                return Some(Record { name, size, locations });
            }
            // Deeper lines are parts of a member.
            if member.starts_with("    ") {
                continue;
            }
            match bits(place.trim()) {
                Some(bits) => {
                    if !is_open || is_union {
                        locations.push(Vec::new());
                    }
                    locations.last_mut()?.push(bits);
                    is_open = true;
                }
                // Another member, or a bit-field of width zero.
                None => is_open = false,
            }
        }
        None
    }

    fn is(&self, kind: &Kind) -> bool {
        self.name == kind.name && kind.size.is_none_or(|size| size == self.size)
    }

    /// The bytes of a location outside a unit of it, as beginnings and ends. `None` if clang does not access such a
    /// unit: it holds bit-fields as a whole. With `is_whole`, it holds one and nothing else.
    fn rest(&self, unit: &Bytes, is_whole: bool) -> Option<Vec<(u64, u64)>> {
        let unit_bits = unit.start * 8..unit.end * 8;
        let holds = |bits: &Range<u64>| unit_bits.start <= bits.start && bits.end <= unit_bits.end;
        let meets = |bits: &Range<u64>| bits.start < unit_bits.end && unit_bits.start < bits.end;
        let is_cut = self.locations.iter().flatten().any(|bits| meets(bits) && !holds(bits));
        if unit.end > self.size || is_cut {
            return None;
        }
        let is_meant = |bits: &Range<u64>| if is_whole { *bits == unit_bits } else { holds(bits) };
        let location = self.locations.iter().find(|location| location.iter().any(is_meant))?;
        let (start, end) = (location.first()?.start / 8, location.last()?.end.div_ceil(8));
        let beside = [(start, unit.start.min(end)), (unit.end.max(start), end)];
        Some(beside.into_iter().filter(|(start, end)| start < end).collect())
    }
}

/// The bits of a bit-field at `BYTE:FIRST-LAST`.
fn bits(place: &str) -> Option<Range<u64>> {
    let (byte, rest) = place.split_once(':')?;
    let (first, last) = rest.split_once('-')?;
    let at = byte.parse::<u64>().ok()? * 8;
    Some(at + first.parse::<u64>().ok()?..at + last.parse::<u64>().ok()? + 1)
}

/// Loads the rest of the location, if the load or store accesses a bit-field.
pub(crate) fn access<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    instruction: Value<'m>,
    (address, pointer): (Value<'m>, &Expr),
) -> Lower<()> {
    // Without threads there are no races.
    if f.source.model.is_some() || f.program.records.0.is_empty() || !f.program.mentions("__heddle_spawn") {
        return Ok(());
    }
    let (is_read, is_store) = (is_read(instruction), instruction.opcode() == Some(Opcode::LLVMStore));
    let ty = if is_store { instruction.operand(0).ty() } else { instruction.ty() };
    let length = u64::from(ty.int_width() / 8);
    // A store without a load writes a whole unit.
    if length == 0 || !(is_read || is_store) {
        return Ok(());
    }
    let (offset, rest) = rest_of_location(f, address, length, is_store)?;
    let width = f.program.data_model.pointer_width();
    for piece in rest.into_iter().flat_map(pieces) {
        let ty = Type::Int((piece.end - piece.start) as u16 * 8);
        let from = Expr::int(width, u128::from(piece.start.wrapping_sub(offset)));
        let (dst, ptr) = (f.builder.temporary(ty), simplify::offset(pointer.clone(), from));
        f.builder.emit(Stmt::Load { dst, ty, ptr, access: Access { order: Order::Plain, volatile: false } });
    }
    Ok(())
}

/// Bytes in pieces of at most a machine word.
fn pieces((mut start, end): (u64, u64)) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    while start < end {
        let fits = |length: &u64| start.is_multiple_of(*length) && start + length <= end;
        let length = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
        pieces.push(start..start + length);
        start += length;
    }
    pieces
}

/// The position of the unit at an address in its structure, and the other bytes of its location.
fn rest_of_location<'m>(
    f: &FunctionLowering<'_, 'm>,
    address: Value<'m>,
    length: u64,
    is_whole: bool,
) -> Lower<(u64, Vec<(u64, u64)>)> {
    let records = &f.program.records;
    let module = f.source.module;
    let gap = || gap("an access to a bit-field of a structure that is not known");
    if let Some((structure, offset)) = field_of(module, address) {
        let unit = offset..offset + length;
        let mut rests = records.rests(&unit, Some(&kind_of(module, structure)), is_whole);
        if let Some(rest) = rests.pop_first() {
            return if rests.is_empty() { Ok((offset, rest)) } else { Err(gap()) };
        }
    }
    let any = records.rests(&(0..length), None, is_whole);
    let is_alike = any.len() == 1 && !is_whole;
    let is_nothing = any.iter().all(Vec::is_empty);
    let kind = match is_alike || is_nothing {
        true => None,
        false => match meant_by(f, address) {
            Meant::Structure(kind) => Some(kind),
            // A store of something else.
            Meant::Other if is_whole => return Ok((0, Vec::new())),
            Meant::Other | Meant::Unknown => return Err(gap()),
        },
    };
    let mut rests = records.rests(&(0..length), kind.as_ref(), is_whole);
    match (rests.pop_first(), rests.is_empty()) {
        (Some(rest), true) => Ok((0, rest)),
        // Not a bit-field; or one of a union, for example, that is declared as something else.
        (None, _) if is_whole || is_nothing => Ok((0, Vec::new())),
        _ => Err(gap()),
    }
}

/// The structure and the offset of the member that an address computation leads to, unless the member is itself a
/// structure.
fn field_of<'m>(module: &Module<'m>, address: Value<'m>) -> Option<(Ty<'m>, u64)> {
    let (around, field) = path_of(address)?;
    let field = field?;
    let is_structure = around.fields().get(field as usize)?.kind() == TypeKind::LLVMStructTypeKind;
    if is_structure {
        return None;
    }
    Some((around, module.field_offset(around, field)?))
}

/// The last step of an address computation: the type it steps into, and the field if that is a structure.
fn path_of(address: Value<'_>) -> Option<(Ty<'_>, Option<u32>)> {
    let mut ty = address.gep_source_type()?;
    let mut last = (ty, None);
    for i in 2..address.operand_count() {
        let index = address.operand(i);
        last = match ty.elements() {
            Some((element, _)) => {
                ty = element;
                (element, None)
            }
            None => {
                let field = index.as_int().or(index.is_null().then_some(0))? as u32;
                let around = ty;
                ty = *ty.fields().get(field as usize)?;
                (around, Some(field))
            }
        };
    }
    Some(last)
}

/// The declared type of the object at an address.
fn meant_by<'m>(f: &FunctionLowering<'_, 'm>, address: Value<'m>) -> Meant {
    let ty = match address.opcode() {
        Some(Opcode::LLVMAlloca) => address.allocated_type(),
        Some(Opcode::LLVMGetElementPtr) => path_of(address).and_then(|(around, field)| match field {
            Some(field) => around.fields().get(field as usize).copied(),
            None => Some(around),
        }),
        Some(Opcode::LLVMLoad) => return pointed_to(f, address.operand(0)),
        _ if address.is_global_variable() => address.global_value_type(),
        _ => None,
    };
    let Some(mut ty) = ty else { return Meant::Unknown };
    while let Some((element, _)) = ty.elements() {
        ty = element;
    }
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => Meant::Structure(kind_of(f.source.module, ty)),
        _ => Meant::Other,
    }
}

/// The declared target type of a pointer variable.
fn pointed_to<'m>(f: &FunctionLowering<'_, 'm>, variable: Value<'m>) -> Meant {
    let blocks = f.function.map(Value::blocks).unwrap_or_default();
    let mut instructions = blocks.into_iter().flat_map(|block| block.instructions());
    match instructions.find_map(|i| i.declared_pointer().filter(|(address, _)| *address == variable)) {
        Some((_, Pointee::Record(name))) => Meant::Structure(Kind { name: name.as_deref().map(last_name), size: None }),
        Some((_, Pointee::Other)) => Meant::Other,
        Some((_, Pointee::Unknown)) | None => Meant::Unknown,
    }
}

/// The structure of a type. clang puts the kind of the type before its name; numbers and other marks follow it.
fn kind_of(module: &Module<'_>, ty: Ty<'_>) -> Kind {
    let full = ty.struct_name().unwrap_or_default();
    let mut words = full.split('.').skip(1);
    let name = words.next().unwrap_or("");
    let is_base = words.next() == Some("base");
    let is_named = !(name.is_empty() || name == "anon" || name.contains('('));
    Kind { name: is_named.then(|| last_name(name)), size: module.size_of(ty).filter(|_| !is_base) }
}

/// A name without enclosing namespaces and template arguments.
fn last_name(name: &str) -> String {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: &str = "
*** Dumping AST Record Layout
         0 | struct S
    0:0-23 |   unsigned int a
    4:0-23 |   unsigned int b
       8:- |   unsigned int 
    8:0-23 |   unsigned int c
   12:0-23 |   unsigned int d
           | [sizeof=16, align=4]

*** Dumping AST Record Layout
         0 | struct N::(anonymous at b.c:4:84)
         0 |   int q
     4:0-4 |   unsigned int u
         8 |   struct S in
    8:0-23 |     unsigned int a
   24:0-63 |   long long w
   32:0-63 |   long long v
           | [sizeof=40, dsize=40, align=8,
           |  nvsize=40, nvalign=8]
";

    #[test]
    fn layouts_are_read() {
        let records = Records::read(LAYOUT);
        let [s, n] = records.0.as_slice() else { panic!("there should be two: {records:?}") };
        assert_eq!((s.name.as_deref(), s.size), (Some("S"), 16));
        assert_eq!(s.locations, [vec![0..24, 32..56], vec![64..88, 96..120]]);
        assert_eq!((n.name.as_deref(), n.size), (None, 40));
        let one = 32..37;
        assert_eq!(n.locations, [vec![one], vec![192..256, 256..320]]);
    }

    #[test]
    fn the_rest_of_a_location_is_what_the_unit_does_not_hold() {
        let records = Records::read(LAYOUT);
        let [s, n] = records.0.as_slice() else { panic!("there should be two: {records:?}") };
        assert_eq!(s.rest(&(0..8), false), Some(vec![]));
        assert_eq!(s.rest(&(0..4), false), Some(vec![(4, 7)]));
        assert_eq!(s.rest(&(4..8), false), Some(vec![(0, 4)]));
        assert_eq!(s.rest(&(0..2), false), None, "no unit holds half a bit-field");
        assert_eq!(n.rest(&(32..40), true), Some(vec![(24, 32)]));
        assert_eq!(n.rest(&(0..4), false), None, "there is no bit-field");
        assert_eq!(pieces((4, 7)), [4..6, 6..7]);
    }
}
