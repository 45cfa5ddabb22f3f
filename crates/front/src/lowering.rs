//! The program under construction: files, objects and functions with their ids and unique names, and the resolution of
//! names to definitions. A function or variable enters the program when a part of it mentions it.

use crate::bitfields::Records;
use crate::calls;
use crate::constants;
use crate::function;
use crate::layout::{gap, Gap, Lower};
use crate::llvm::{Block, Linkage, Module, TypeKind, Value};
use crate::load::Failure;
use crate::models::{instead, is_modelled, Models, Source};
use crate::needs::Needs;
use crate::thread_numbers::ThreadNumbers;
use crate::Libc;
use base::{FileId, Id, IdVec, Span};
use ir::{
    DataModel, Expr, Function, FunctionId, Initial, Object, ObjectId, ObjectKind, Premise, Program, Stmt, Symbol,
};
use passes::notes::{Notes, Variables};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// Lowers one program.
pub(crate) struct Lowering<'m> {
    /// The program's own module.
    pub(crate) user: Source<'m>,
    /// The models it uses.
    pub(crate) models: &'m Models<'m>,
    /// The size of pointers.
    pub(crate) data_model: DataModel,
    /// The assumptions of every proof about the program.
    pub(crate) premises: BTreeSet<Premise>,
    /// The source of promises about thread safety.
    pub(crate) libc: Libc,
    /// The variables that hold thread numbers.
    pub(crate) thread_numbers: ThreadNumbers<'m>,
    /// The suffixes of the variants of models for this program.
    pub(crate) variants: Vec<&'static str>,
    /// Its further needs of the models.
    pub(crate) needs: Needs,
    /// Whether it registers functions to be called at exit.
    pub(crate) uses_exit_handlers: bool,
    /// The failures besides assertions.
    pub(crate) failure: Failure,
    /// The structures with bit-fields, if the program accesses any.
    pub(crate) records: Records,
    /// The mapping of source variables.
    pub(crate) notes: Notes,
    files: IdVec<FileId, String>,
    file_ids: FxHashMap<String, FileId>,
    objects: IdVec<ObjectId, Object>,
    object_ids: FxHashMap<Value<'m>, ObjectId>,
    label_ids: FxHashMap<Block<'m>, ObjectId>,
    functions: Vec<Option<Function>>,
    function_ids: FxHashMap<Value<'m>, FunctionId>,
    queue: VecDeque<Job<'m>>,
    /// Objects whose initialisers are still to be read: one after the other, since chains of them can be long.
    uninitialised: Vec<(ObjectId, Value<'m>, Source<'m>)>,
    /// Objects whose initialisers cannot be represented, with the reason.
    opaque: Vec<(ObjectId, String)>,
    suffixes: FxHashMap<String, u32>,
}

/// A function whose graph is still to be built.
struct Job<'m> {
    id: FunctionId,
    name: String,
    body: Body<'m>,
}

/// The body of a function.
enum Body<'m> {
    /// This definition.
    Definition(Value<'m>, Source<'m>),
    /// A call of a function that has a meaning but no definition (its address was taken).
    Wrapper(Value<'m>, Source<'m>),
}

/// The definition that a function's name refers to.
#[derive(Clone)]
pub(crate) enum Resolved<'m> {
    /// This definition.
    Defined(Value<'m>, Source<'m>),
    /// Unknown.
    Missing,
}

impl<'m> Lowering<'m> {
    /// An empty program.
    pub(crate) fn new(
        user: &'m Module<'m>,
        models: &'m Models<'m>,
        (data_model, libc): (DataModel, Libc),
    ) -> Lowering<'m> {
        Lowering {
            user: Source { module: user, model: None },
            models,
            data_model,
            libc,
            premises: BTreeSet::new(),
            thread_numbers: ThreadNumbers::default(),
            variants: Vec::new(),
            needs: Needs::default(),
            uses_exit_handlers: false,
            failure: Failure::default(),
            records: Records::default(),
            notes: Notes::default(),
            files: IdVec::new(),
            file_ids: FxHashMap::default(),
            objects: IdVec::new(),
            object_ids: FxHashMap::default(),
            label_ids: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            queue: VecDeque::new(),
            uninitialised: Vec::new(),
            opaque: Vec::new(),
            suffixes: FxHashMap::default(),
        }
    }

    /// A similar name that is unique in the program.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        while let Some(count) = self.suffixes.get_mut(&unique) {
            *count += 1;
            unique = format!("{name}.{count}");
        }
        self.suffixes.insert(unique.clone(), 1);
        unique
    }

    /// Whether an instruction is in a C++ file, judged by its name.
    pub(crate) fn is_cxx(&mut self, value: Value<'m>, source: Source<'m>) -> bool {
        const ENDINGS: [&str; 8] = ["cc", "cpp", "cxx", "C", "c++", "ii", "hpp", "hh"];
        let file = self.span(value, source).map(|span| &self.files[span.file]);
        file.and_then(|file| file.rsplit_once('.')).is_some_and(|(_, ending)| ENDINGS.contains(&ending))
    }

    /// The position of an instruction, function or global variable.
    pub(crate) fn span(&mut self, value: Value<'m>, source: Source<'m>) -> Option<Span> {
        let (file, line, column) = value.position()?;
        let file = match source.model {
            Some(model) => format!("<{model} model>"),
            None => file,
        };
        let file = match self.file_ids.get(&file) {
            Some(&id) => id,
            None => {
                let id = self.files.push(file.clone());
                self.file_ids.insert(file, id);
                id
            }
        };
        Some(Span { file, line, column })
    }

    /// Resolves a function, by name if the module only declares it.
    pub(crate) fn resolve(&self, function: Value<'m>, source: Source<'m>) -> Resolved<'m> {
        let mut function = function;
        while let Some(aliasee) = function.aliasee() {
            function = aliasee;
        }
        // A function that a model defines for others can have a variant, or be defined by the program itself.
        if let Some(model) = self.instead(function, source) {
            return model;
        }
        let is_own = source.model.is_none() || function.linkage() != Some(Linkage::LLVMExternalLinkage);
        if !function.is_declaration() && is_own {
            return Resolved::Defined(function, source);
        }
        self.resolve_name(&function.name())
    }

    /// The model that replaces a function although the program has a definition, which comes from a header. The
    /// standard allows the function more than the header's definition does.
    fn instead(&self, function: Value<'m>, source: Source<'m>) -> Option<Resolved<'m>> {
        if source.model.is_some() || self.libc != Libc::Standard {
            return None;
        }
        match self.model(&instead(&function.name())) {
            Resolved::Missing => None,
            model => Some(model),
        }
    }

    /// Resolves the name of a function: the program's own definition or else a model.
    pub(crate) fn resolve_name(&self, name: &str) -> Resolved<'m> {
        let module = self.user.module;
        if let Some(own) = module.function(name).filter(|own| !own.is_declaration()) {
            return Resolved::Defined(own, self.user);
        }
        if let Some(alias) = module.alias(name) {
            return self.resolve(alias, self.user);
        }
        self.best_model(name)
    }

    /// The model of a function, in the variant for the program.
    pub(crate) fn best_model(&self, name: &str) -> Resolved<'m> {
        let mut variants = self.variants.iter().map(|suffix| format!("{name}{suffix}"));
        let variant = variants.find(|variant| self.models.defines(variant));
        self.model(variant.as_deref().unwrap_or(name))
    }

    /// The model with exactly this name.
    pub(crate) fn model(&self, name: &str) -> Resolved<'m> {
        match self.models.definition(name) {
            Some((model, source)) if model.is_function() => Resolved::Defined(model, source),
            _ => Resolved::Missing,
        }
    }

    /// Whether the program defines a function of its own with the name of one that reports failed assertions: those
    /// take a text as their first argument.
    pub(crate) fn has_own(&self, name: &str) -> bool {
        let own = self.user.module.function(name).filter(|own| !own.is_declaration());
        let is_text = |param: Value<'_>| param.ty().kind() == TypeKind::LLVMPointerTypeKind;
        calls::reports_assertion(name) && own.is_some_and(|own| !own.params().first().copied().is_some_and(is_text))
    }

    /// Whether the program or a model that it uses mentions the function.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.user.module.function(name).is_some() || self.models.mention(name)
    }

    /// Whether the program itself mentions one of the functions.
    pub(crate) fn user_mentions(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.user.module.function(name).is_some())
    }

    /// The id of a defined function.
    pub(crate) fn defined_function(&mut self, function: Value<'m>, source: Source<'m>) -> FunctionId {
        self.function_with_body(function, Body::Definition(function, source))
    }

    /// The id of the function whose address `function` is. One without a definition becomes a wrapper that calls it,
    /// with the meaning of such a call.
    pub(crate) fn function_address(&mut self, function: Value<'m>, source: Source<'m>) -> FunctionId {
        let name = function.name();
        match self.resolve(function, source) {
            Resolved::Defined(definition, source) if !crate::calls::has_fixed_meaning(&name) || self.has_own(&name) => {
                self.defined_function(definition, source)
            }
            _ => self.function_with_body(function, Body::Wrapper(function, source)),
        }
    }

    fn function_with_body(&mut self, function: Value<'m>, body: Body<'m>) -> FunctionId {
        if let Some(&id) = self.function_ids.get(&function) {
            return id;
        }
        let name = self.unique(&function.name());
        let id = self.reserve_function();
        self.function_ids.insert(function, id);
        self.queue.push_back(Job { id, name, body });
        id
    }

    /// Reserves an id for a function that is built later.
    pub(crate) fn reserve_function(&mut self) -> FunctionId {
        self.functions.push(None);
        FunctionId::new(self.functions.len() - 1)
    }

    /// Fills in a function.
    pub(crate) fn set_function(&mut self, id: FunctionId, function: Function) {
        self.functions[id.index()] = Some(function);
    }

    /// Builds the graphs of all mentioned functions, transitively.
    pub(crate) fn run(&mut self) {
        loop {
            while let Some((id, initializer, source)) = self.uninitialised.pop() {
                let size = self.objects[id].size;
                match constants::initial(self, source, initializer, size) {
                    Ok(initial) => self.objects[id].initial = initial,
                    Err(Gap(what)) => self.opaque.push((id, what.to_string())),
                }
            }
            let Some(Job { id, name, body }) = self.queue.pop_front() else { break };
            let (function, variables) = match body {
                Body::Definition(value, source) => function::lower(self, value, source, name),
                Body::Wrapper(value, source) => {
                    (function::lower_wrapper(self, value, source, name), Variables::default())
                }
            };
            self.set_function(id, function);
            self.notes.add(id, variables);
        }
    }

    /// The id of a global variable.
    pub(crate) fn object(&mut self, global: Value<'m>, source: Source<'m>) -> Lower<ObjectId> {
        if let Some(&id) = self.object_ids.get(&global) {
            return Ok(id);
        }
        let (definition, definition_source) = self.resolve_variable(global, source);
        let id = match self.object_ids.get(&definition) {
            Some(&id) => id,
            None => self.new_object(definition, definition_source)?,
        };
        self.object_ids.insert(global, id);
        Ok(id)
    }

    fn resolve_variable(&self, global: Value<'m>, source: Source<'m>) -> (Value<'m>, Source<'m>) {
        if !global.is_declaration() {
            return (global, source);
        }
        let name = global.name();
        let own = self.user.module.global(&name).filter(|own| !own.is_declaration());
        match own {
            Some(own) => (own, self.user),
            None => self.models.definition(&name).filter(|(model, _)| !model.is_function()).unwrap_or((global, source)),
        }
    }

    fn new_object(&mut self, global: Value<'m>, source: Source<'m>) -> Lower<ObjectId> {
        let name = global.name();
        let gap = || gap(format!("variable {name}, whose size is not known"));
        let ty = global.global_value_type().ok_or_else(gap)?;
        let size = source.module.size_of(ty).ok_or_else(gap)?;
        if global.is_declaration() && size == 0 {
            return Err(gap());
        }
        let kind = if global.is_thread_local() {
            ObjectKind::ThreadLocal
        } else if global.is_global_constant() {
            ObjectKind::Constant
        } else {
            ObjectKind::Global
        };
        let align = global.alignment().max(source.module.align_of(ty)).max(1);
        let span = self.span(global, source).unwrap_or(Span::unknown());
        let name = self.unique(&name);
        let initial = Initial::Arbitrary;
        let id = self.objects.push(Object { name, size, align, kind, is_hidden: false, initial, span });
        self.object_ids.insert(global, id);
        if global.is_thread_local() && global.is_global_constant() {
            self.notes.add_object(id);
        }
        if let Some(initializer) = global.initializer().filter(|_| !global.is_declaration()) {
            self.uninitialised.push((id, initializer, source));
        }
        Ok(id)
    }

    /// An object that does not come from a variable of the program.
    pub(crate) fn new_plain_object(&mut self, name: &str, size: u64, align: u64, kind: ObjectKind) -> ObjectId {
        let name = self.unique(name);
        let (initial, span) = (Initial::Arbitrary, Span::unknown());
        self.objects.push(Object { name, size, align, kind, is_hidden: false, initial, span })
    }

    /// Marks an object as hidden state that the C library keeps between calls.
    pub(crate) fn hide(&mut self, object: ObjectId) {
        self.objects[object].is_hidden = true;
    }

    /// The object whose address represents the address of a label.
    pub(crate) fn label(&mut self, function: Value<'m>, block: Block<'m>) -> ObjectId {
        if let Some(&id) = self.label_ids.get(&block) {
            return id;
        }
        let name = format!("{}.{}", function.name(), block.name());
        let id = self.new_plain_object(&name, 1, 1, ObjectKind::Constant);
        self.objects[id].initial = Initial::Bytes { bytes: Vec::new(), relocations: Vec::new() };
        self.label_ids.insert(block, id);
        id
    }

    /// Whether the weak symbol is undefined, so that its address is null.
    pub(crate) fn is_absent_weak(&self, value: Value<'m>, source: Source<'m>) -> bool {
        value.linkage() == Some(Linkage::LLVMExternalWeakLinkage)
            && if value.is_function() {
                let named = crate::calls::has_fixed_meaning(&value.name());
                !named && matches!(self.resolve(value, source), Resolved::Missing)
            } else {
                self.resolve_variable(value, source).0.is_declaration()
            }
    }

    /// Makes every statement that mentions an object with unknown contents an unmodelled one. An object that points to
    /// such an object counts as well.
    fn close_opaque(&mut self) {
        let mut next = 0;
        while let Some((id, what)) = self.opaque.get(next).cloned() {
            next += 1;
            for (other, object) in self.objects.enumerate() {
                let Initial::Bytes { relocations, .. } = &object.initial else { continue };
                let points = relocations.iter().any(|relocation| relocation.symbol == Symbol::Object(id));
                if points && self.opaque.iter().all(|(known, _)| *known != other) {
                    self.opaque.push((other, what.clone()));
                }
            }
        }
        for edge in self.functions.iter_mut().flatten().flat_map(|function| function.edges.iter_mut()) {
            let mut found = None;
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Object(id) = part {
                        found = found.or(self.opaque.iter().position(|(known, _)| known == id));
                    }
                });
            }
            if let Some(index) = found {
                let (id, what) = &self.opaque[index];
                edge.stmt = Stmt::Unmodelled(format!("{}, initialised with {what}", self.objects[*id].name).into());
            }
        }
    }

    /// The finished program.
    pub(crate) fn finish(mut self, entry: FunctionId) -> Program {
        self.close_opaque();
        let functions: IdVec<FunctionId, Function> =
            self.functions.into_iter().map(|f| f.expect("every mentioned function should have been lowered")).collect();
        let is_promised = |f: &Function| {
            let is_variant = self.libc.variant().is_some_and(|suffix| f.name.ends_with(suffix));
            is_variant || is_modelled(&instead(&f.name))
        };
        if self.libc == Libc::Glibc && functions.iter().any(is_promised) {
            self.premises.insert(Premise::Glibc);
        }
        let mut program = Program {
            data_model: self.data_model,
            files: self.files,
            objects: self.objects,
            functions,
            entry,
            premises: self.premises,
        };
        if program.functions.iter().any(|f| f.name == "rand_r" && program.is_model(f.span)) {
            program.premises.insert(Premise::Random);
        }
        program
    }
}
