//! Shrinks a script that shows a disagreement: fewer commands, simpler expressions, fewer variables.

use super::ast::{Command, Expr, Script, Sort};

/// The smallest script found with at most `tests` tests that still shows it.
pub(super) fn shrink(script: &Script, tests: usize, shows: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut best = script.clone();
    let mut left = tests;
    loop {
        let found = candidates(&best).into_iter().find(|candidate| {
            if left == 0 || !is_sound(candidate) {
                return false;
            }
            left -= 1;
            shows(candidate)
        });
        match found {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Whether names are bound where they are used, and levels are closed only where they were opened.
fn is_sound(script: &Script) -> bool {
    let mut depth = 0u32;
    for command in &script.commands {
        match command {
            Command::Push => depth += 1,
            Command::Pop if depth == 0 => return false,
            Command::Pop => depth -= 1,
            Command::Assert(expr) if !is_closed(expr, &mut Vec::new()) => return false,
            Command::Check(exprs) if !exprs.iter().all(|expr| is_closed(expr, &mut Vec::new())) => return false,
            Command::Assert(_) | Command::Check(_) => {}
        }
    }
    script.commands.iter().any(|command| matches!(command, Command::Check(_)))
}

fn is_closed(expr: &Expr, bound: &mut Vec<(usize, ())>) -> bool {
    match expr {
        Expr::Var(_) | Expr::Bool(_) | Expr::Bits(..) => true,
        Expr::Local(name, _) => bound.iter().any(|(other, ())| other == name),
        Expr::Op(_, _, _, args) => args.iter().all(|arg| is_closed(arg, bound)),
        Expr::Let(bindings, body) => {
            if !bindings.iter().all(|(_, value)| is_closed(value, bound)) {
                return false;
            }
            let before = bound.len();
            bound.extend(bindings.iter().map(|(name, _)| (*name, ())));
            let is_body_closed = is_closed(body, bound);
            bound.truncate(before);
            is_body_closed
        }
    }
}

/// Slightly smaller scripts, the boldest cuts first.
fn candidates(script: &Script) -> Vec<Script> {
    let mut found = Vec::new();
    let mut keep = |commands: Vec<Command>| found.push(Script { vars: script.vars.clone(), commands });
    for index in 0..script.commands.len() {
        let mut commands = script.commands.clone();
        commands.remove(index);
        keep(commands);
    }
    for (index, command) in script.commands.iter().enumerate() {
        let mut replace = |command: Command| {
            let mut commands = script.commands.clone();
            commands[index] = command;
            keep(commands);
        };
        match command {
            Command::Assert(expr) => {
                for smaller in smaller_exprs(expr, &script.vars) {
                    replace(Command::Assert(smaller));
                }
            }
            Command::Check(assumptions) => {
                for place in 0..assumptions.len() {
                    let mut fewer = assumptions.clone();
                    fewer.remove(place);
                    replace(Command::Check(fewer));
                    for smaller in smaller_exprs(&assumptions[place], &script.vars) {
                        let mut changed = assumptions.clone();
                        changed[place] = smaller;
                        replace(Command::Check(changed));
                    }
                }
            }
            Command::Push | Command::Pop => {}
        }
    }
    found
}

fn leaf(sort: Sort) -> Option<Expr> {
    match sort {
        Sort::Bool => Some(Expr::Bool(false)),
        Sort::Bits(width) => Some(Expr::Bits(width, 0)),
        Sort::Array(..) => None,
    }
}

/// The expression with one part replaced by something smaller of the same sort.
fn smaller_exprs(expr: &Expr, vars: &[Sort]) -> Vec<Expr> {
    let sort = expr.sort(vars);
    let mut found: Vec<Expr> = Vec::new();
    let children: Vec<&Expr> = match expr {
        Expr::Var(_) | Expr::Bool(_) | Expr::Bits(_, 0) => return found,
        Expr::Local(..) | Expr::Bits(..) => Vec::new(),
        Expr::Op(_, _, _, args) => args.iter().collect(),
        Expr::Let(bindings, body) => bindings.iter().map(|(_, value)| value).chain([&**body]).collect(),
    };
    found.extend(leaf(sort));
    if !children.is_empty() {
        found.extend(vars.iter().position(|&other| other == sort).map(Expr::Var));
    }
    let mut below = children.clone();
    while let Some(part) = below.pop() {
        if part.sort(vars) == sort {
            found.push(part.clone());
        }
        match part {
            Expr::Op(_, _, _, args) => below.extend(args),
            Expr::Let(bindings, body) => below.extend(bindings.iter().map(|(_, value)| value).chain([&**body])),
            Expr::Var(_) | Expr::Bool(_) | Expr::Bits(..) | Expr::Local(..) => {}
        }
    }
    for (index, child) in children.iter().enumerate() {
        for smaller in smaller_exprs(child, vars) {
            let mut changed = expr.clone();
            match &mut changed {
                Expr::Op(_, _, _, args) => args[index] = smaller,
                Expr::Let(bindings, _) if index < bindings.len() => bindings[index].1 = smaller,
                Expr::Let(_, body) => **body = smaller,
                Expr::Var(_) | Expr::Bool(_) | Expr::Bits(..) | Expr::Local(..) => {}
            }
            found.push(changed);
        }
    }
    found
}
