//! Formulas and scripts of the differential tests, printed as SMT-LIB. Independent of the solver.

use std::fmt::Write;

/// The sort of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A bit-vector of this width, at most 128.
    Bits(u32),
    /// From bit-vectors of the first width to bit-vectors of the second.
    Array(u32, u32),
}

/// Operators, named as in SMT-LIB.
#[allow(missing_docs, reason = "the names are SMT-LIB's")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Op {
    Not, And, Or, Xor, Implies, Eq, Distinct, Ite,
    BvNot, BvNeg, BvNegO,
    BvAdd, BvMul, BvAnd, BvOr, BvXor,
    BvSub, BvUdiv, BvUrem, BvSdiv, BvSrem, BvSmod, BvShl, BvLshr, BvAshr, BvNand, BvNor, BvXnor, BvComp,
    BvUlt, BvUle, BvUgt, BvUge, BvSlt, BvSle, BvSgt, BvSge,
    BvUaddO, BvSaddO, BvUmulO, BvSmulO, BvUsubO, BvSsubO, BvSdivO,
    Concat, Extract, ZeroExtend, SignExtend, RotateLeft, RotateRight, Repeat,
    Select, Store, ConstArray,
}

impl Op {
    /// The name in SMT-LIB, without indices.
    #[rustfmt::skip]
    pub fn name(self) -> &'static str {
        match self {
            Op::Not => "not", Op::And => "and", Op::Or => "or", Op::Xor => "xor", Op::Implies => "=>", Op::Eq => "=",
            Op::Distinct => "distinct", Op::Ite => "ite", Op::BvNot => "bvnot", Op::BvNeg => "bvneg",
            Op::BvNegO => "bvnego", Op::BvAdd => "bvadd", Op::BvMul => "bvmul", Op::BvAnd => "bvand",
            Op::BvOr => "bvor", Op::BvXor => "bvxor", Op::BvSub => "bvsub", Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem", Op::BvSdiv => "bvsdiv", Op::BvSrem => "bvsrem", Op::BvSmod => "bvsmod",
            Op::BvShl => "bvshl", Op::BvLshr => "bvlshr", Op::BvAshr => "bvashr", Op::BvNand => "bvnand",
            Op::BvNor => "bvnor", Op::BvXnor => "bvxnor", Op::BvComp => "bvcomp", Op::BvUlt => "bvult",
            Op::BvUle => "bvule", Op::BvUgt => "bvugt", Op::BvUge => "bvuge", Op::BvSlt => "bvslt",
            Op::BvSle => "bvsle", Op::BvSgt => "bvsgt", Op::BvSge => "bvsge", Op::BvUaddO => "bvuaddo",
            Op::BvSaddO => "bvsaddo", Op::BvUmulO => "bvumulo", Op::BvSmulO => "bvsmulo", Op::BvUsubO => "bvusubo",
            Op::BvSsubO => "bvssubo", Op::BvSdivO => "bvsdivo", Op::Concat => "concat", Op::Extract => "extract",
            Op::ZeroExtend => "zero_extend", Op::SignExtend => "sign_extend", Op::RotateLeft => "rotate_left",
            Op::RotateRight => "rotate_right", Op::Repeat => "repeat", Op::Select => "select", Op::Store => "store",
            Op::ConstArray => "const",
        }
    }
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A variable of the script.
    Var(usize),
    /// A constant.
    Bool(bool),
    /// A constant: width and value.
    Bits(u32, u128),
    /// An operator with its indices, the sort of the result, and arguments.
    Op(Op, Vec<u32>, Sort, Vec<Expr>),
    /// A parallel `let`: names with their values, and the body.
    Let(Vec<(usize, Expr)>, Box<Expr>),
    /// A name bound by a `let`.
    Local(usize, Sort),
}

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Asserts a Boolean.
    Assert(Expr),
    /// Opens a level.
    Push,
    /// Closes it.
    Pop,
    /// Checks satisfiability under assumptions.
    Check(Vec<Expr>),
}

/// A script: the sorts of its variables `v0`, `v1`, … and its commands.
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    /// Sorts of the variables.
    pub vars: Vec<Sort>,
    /// Its commands.
    pub commands: Vec<Command>,
}

/// The names that may be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// SMT-LIB 2.7.
    Standard,
    /// Without the overflow predicates, which older solvers lack: they are written by their definitions. The names of
    /// variables contain this number, so that many scripts can be combined into one.
    Old(usize),
}

impl Dialect {
    /// The name of a variable.
    fn variable(self, index: usize) -> String {
        match self {
            Dialect::Standard => format!("v{index}"),
            Dialect::Old(number) => format!("s{number}v{index}"),
        }
    }
}

impl Sort {
    /// In SMT-LIB.
    pub fn text(self) -> String {
        match self {
            Sort::Bool => "Bool".to_owned(),
            Sort::Bits(width) => format!("(_ BitVec {width})"),
            Sort::Array(index, element) => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
        }
    }
}

impl Expr {
    /// The sort, given those of the variables.
    pub fn sort(&self, vars: &[Sort]) -> Sort {
        match self {
            Expr::Var(index) => vars[*index],
            Expr::Bool(_) => Sort::Bool,
            Expr::Bits(width, _) => Sort::Bits(*width),
            Expr::Op(_, _, sort, _) | Expr::Local(_, sort) => *sort,
            Expr::Let(_, body) => body.sort(vars),
        }
    }

    /// In SMT-LIB.
    pub fn text(&self, vars: &[Sort], dialect: Dialect) -> String {
        let mut text = String::new();
        self.print(vars, dialect, &mut text);
        text
    }

    fn print(&self, vars: &[Sort], dialect: Dialect, out: &mut String) {
        let _ = match self {
            Expr::Var(index) => write!(out, "{}", dialect.variable(*index)),
            Expr::Local(index, _) => write!(out, "?l{index}"),
            Expr::Bool(value) => write!(out, "{value}"),
            Expr::Bits(width, value) => match (width % 4, value % 3) {
                (0, 0 | 1) => write!(out, "#x{value:0digits$x}", digits = *width as usize / 4),
                (_, 0) => write!(out, "(_ bv{value} {width})"),
                _ => write!(out, "#b{value:0width$b}", width = *width as usize),
            },
            Expr::Let(bindings, body) => {
                out.push_str("(let (");
                for (index, (name, value)) in bindings.iter().enumerate() {
                    let _ = write!(out, "{}(?l{name} ", if index == 0 { "" } else { " " });
                    value.print(vars, dialect, out);
                    out.push(')');
                }
                out.push_str(") ");
                body.print(vars, dialect, out);
                write!(out, ")")
            }
            Expr::Op(op, indices, sort, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text(vars, dialect)).collect();
                let width = match self {
                    Expr::Op(_, _, _, args) => match args[0].sort(vars) {
                        Sort::Bits(width) => width,
                        Sort::Bool | Sort::Array(..) => 0,
                    },
                    _ => 0,
                };
                let text = match (dialect, defined(*op, width, &args)) {
                    (Dialect::Old(_), Some(text)) => text,
                    _ => {
                        let head = match op {
                            Op::ConstArray => format!("(as const {})", sort.text()),
                            _ if indices.is_empty() => op.name().to_owned(),
                            _ => {
                                let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
                                format!("(_ {} {})", op.name(), indices.join(" "))
                            }
                        };
                        format!("({head} {})", args.join(" "))
                    }
                };
                write!(out, "{text}")
            }
        };
    }
}

/// The overflow predicates by their definitions: the exact result does not fit.
fn defined(op: Op, width: u32, args: &[String]) -> Option<String> {
    let a = &args[0];
    let b = args.get(1).map(String::as_str).unwrap_or_default();
    let least = format!("(concat #b1 (_ bv0 {}))", width.max(2) - 1);
    let least = if width == 1 { "#b1".to_owned() } else { least };
    let wide = |extend: &str, by: u32, op: &str| format!("({op} ((_ {extend} {by}) {a}) ((_ {extend} {by}) {b}))");
    let fits = |extend: &str, by: u32, exact: String| {
        format!("(not (= {exact} ((_ {extend} {by}) ((_ extract {} 0) {exact}))))", width - 1)
    };
    Some(match op {
        Op::BvNegO => format!("(= {a} {least})"),
        Op::BvUaddO => fits("zero_extend", 1, wide("zero_extend", 1, "bvadd")),
        Op::BvSaddO => fits("sign_extend", 1, wide("sign_extend", 1, "bvadd")),
        Op::BvUmulO => fits("zero_extend", width, wide("zero_extend", width, "bvmul")),
        Op::BvSmulO => fits("sign_extend", width, wide("sign_extend", width, "bvmul")),
        Op::BvUsubO => format!("(bvult {a} {b})"),
        Op::BvSsubO => fits("sign_extend", 1, wide("sign_extend", 1, "bvsub")),
        Op::BvSdivO => format!("(and (= {a} {least}) (= {b} (bvnot (_ bv0 {width}))))"),
        _ => return None,
    })
}

impl Script {
    /// The declarations.
    pub fn declarations(&self, dialect: Dialect) -> String {
        let line =
            |(index, sort): (usize, &Sort)| format!("(declare-const {} {})\n", dialect.variable(index), sort.text());
        self.vars.iter().enumerate().map(line).collect()
    }

    /// One command.
    pub fn command_text(&self, command: &Command, dialect: Dialect) -> String {
        let text = |expr: &Expr| expr.text(&self.vars, dialect);
        match command {
            Command::Assert(expr) => format!("(assert {})\n", text(expr)),
            Command::Push => "(push 1)\n".to_owned(),
            Command::Pop => "(pop 1)\n".to_owned(),
            Command::Check(assumptions) if assumptions.is_empty() => "(check-sat)\n".to_owned(),
            Command::Check(assumptions) => match dialect {
                Dialect::Standard => {
                    let terms: Vec<String> = assumptions.iter().map(text).collect();
                    format!("(check-sat-assuming ({}))\n", terms.join(" "))
                }
                // Assumptions must be literals there.
                Dialect::Old(_) => {
                    let asserts: String = assumptions.iter().map(|expr| format!("(assert {})", text(expr))).collect();
                    format!("(push 1){asserts}(check-sat)(pop 1)\n")
                }
            },
        }
    }

    /// The whole script.
    pub fn text(&self, dialect: Dialect) -> String {
        let mut text = self.declarations(dialect);
        for command in &self.commands {
            text.push_str(&self.command_text(command, dialect));
        }
        text
    }

    /// For each check, all asserted and assumed formulas; the assumptions last, with their number.
    pub fn questions(&self) -> Vec<(Vec<&Expr>, usize)> {
        let mut levels: Vec<Vec<&Expr>> = vec![Vec::new()];
        let mut questions = Vec::new();
        for command in &self.commands {
            match command {
                Command::Assert(expr) => levels.last_mut().expect("there should be a level").push(expr),
                Command::Push => levels.push(Vec::new()),
                Command::Pop => {
                    levels.pop();
                }
                Command::Check(assumptions) => {
                    let all = levels.iter().flatten().copied().chain(assumptions).collect();
                    questions.push((all, assumptions.len()));
                }
            }
        }
        questions
    }
}
