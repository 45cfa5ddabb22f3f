//! The models of library functions, compiled from `models/*.c` when Heddle is built, and parsed only as far as the
//! program uses them.

use crate::llvm::{Context, Module, Value};
use ir::DataModel;
use rustc_hash::{FxHashMap, FxHashSet};

/// One file of models.
struct ModelFile {
    name: &'static str,
    ilp32: &'static [u8],
    lp64: &'static [u8],
    defines: &'static [&'static str],
}

mod table {
    use super::ModelFile;
    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}

/// Whether some model defines a function or variable with this name.
pub(crate) fn is_modelled(name: &str) -> bool {
    table::TABLE.iter().any(|file| file.defines.binary_search(&name).is_ok())
}

/// The name of the model that replaces a function of a header although the program defines it.
pub(crate) fn instead(name: &str) -> String {
    format!("{name}__instead")
}

/// Whether a name is that of a model for this function, in any variant.
pub(crate) fn is_variant(name: &str, of: &str) -> bool {
    name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
}

/// The names of all functions and variables that have a meaning although the program does not define them, except for
/// the primitives that the models are written in.
pub fn modelled() -> Vec<&'static str> {
    let by_name = crate::calls::LIBRARY_FUNCTIONS.iter().chain(crate::calls::FIXED_MEANINGS);
    let mut names: Vec<&str> = table::TABLE.iter().flat_map(|file| file.defines).chain(by_name).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The origin of a definition.
#[derive(Clone, Copy)]
pub(crate) struct Source<'m> {
    /// The module.
    pub(crate) module: &'m Module<'m>,
    /// The name of the file of models, if it is one.
    pub(crate) model: Option<&'static str>,
}

/// The models that a program uses.
pub(crate) struct Models<'c> {
    modules: Vec<Option<Module<'c>>>,
    file_of: FxHashMap<&'static str, usize>,
}

impl<'c> Models<'c> {
    /// Parses the files that define the undefined symbols of `program`, transitively.
    pub(crate) fn needed_by(context: &'c Context, program: &Module<'_>, data_model: DataModel) -> Models<'c> {
        let names = table::TABLE.iter().enumerate();
        let mut models = Models {
            modules: table::TABLE.iter().map(|_| None).collect(),
            file_of: names.flat_map(|(i, file)| file.defines.iter().map(move |name| (*name, i))).collect(),
        };
        let mut needed: Vec<String> = declared(program);
        needed.extend(program.functions().map(|function| instead(&function.name())));
        needed.push("__heddle_at_exit".to_owned());
        needed.push("__heddle_arguments".to_owned());
        let mut seen = FxHashSet::default();
        while let Some(name) = needed.pop() {
            let Some(&index) = models.file_of.get(name.as_str()) else { continue };
            if !seen.insert(index) {
                continue;
            }
            let file = &table::TABLE[index];
            let bytes = match data_model {
                DataModel::Ilp32 => file.ilp32,
                DataModel::Lp64 => file.lp64,
            };
            let module = context.parse_bitcode(bytes).expect("the models should be readable");
            needed.extend(declared(&module));
            models.modules[index] = Some(module);
        }
        models
    }

    /// Whether a used model mentions this name.
    pub(crate) fn mention(&self, name: &str) -> bool {
        self.modules.iter().flatten().any(|module| module.function(name).is_some_and(|f| f.is_declaration()))
    }

    /// Whether a function or variable with this name is modelled and was needed.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.file_of.get(name).is_some_and(|&index| self.modules[index].is_some())
    }

    /// The definition of a function or variable, with its origin.
    pub(crate) fn definition(&self, name: &str) -> Option<(Value<'_>, Source<'_>)> {
        let index = *self.file_of.get(name)?;
        let module = self.modules[index].as_ref()?;
        let value = module.function(name).filter(|f| !f.is_declaration()).or_else(|| module.global(name))?;
        Some((value, Source { module, model: Some(table::TABLE[index].name) }))
    }
}

/// The names that a module declares and does not define.
fn declared(module: &Module<'_>) -> Vec<String> {
    module.functions().chain(module.globals()).filter(|value| value.is_declaration()).map(Value::name).collect()
}
