//! Commands about the session itself: its logic, options and what is known of the solver.

use super::lexer::{ScriptError, Token};
use super::session::{Command, Outcome};
use super::tree::Expr;
use base::Stop;
use std::fmt::Write;

/// The logics whose formulas are understood. Those with uninterpreted functions are taken as far as none is declared.
const LOGICS: [&str; 5] = ["QF_BV", "QF_ABV", "QF_AUFBV", "QF_UFBV", "ALL"];

/// What a script can switch on and off.
#[derive(Clone, Default)]
pub(super) struct Options {
    /// Assertions are kept as they were written.
    pub(super) keeps_assertions: bool,
    /// Commands that print nothing else print `success`.
    pub(super) prints_success: bool,
    /// Declarations do not belong to levels.
    pub(super) has_global_declarations: bool,
}

impl Command<'_, '_> {
    pub(super) fn get_info(&mut self, expr: Expr) -> Result<(), ScriptError> {
        let value = match self.keyword(expr)? {
            "name" => "\"heddle\"".to_owned(),
            "authors" => "\"the authors of Heddle\"".to_owned(),
            "version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            "error-behavior" => "immediate-exit".to_owned(),
            "assertion-stack-levels" => self.session.solver.depth().to_string(),
            "reason-unknown" => match self.session.outcome {
                Outcome::Stopped(Stop::Memory) => "memout".to_owned(),
                Outcome::Stopped(Stop::Time) => "timeout".to_owned(),
                Outcome::Stopped(Stop::Cancelled) => "interrupted".to_owned(),
                Outcome::None | Outcome::Answered(_) => {
                    return self.tree.error(self.expr, "the last check did not answer `unknown`");
                }
            },
            _ => {
                self.output.push_str("unsupported\n");
                return Ok(());
            }
        };
        let _ = writeln!(self.output, "({} {value})", self.tree.text(expr));
        Ok(())
    }

    pub(super) fn set_info(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        match args {
            [] => self.wrong_shape("(set-info KEYWORD VALUE)"),
            [keyword, ..] => self.keyword(*keyword).map(|_| ()),
        }
    }

    pub(super) fn set_logic(&mut self, expr: Expr) -> Result<(), ScriptError> {
        let tree = self.tree;
        let Some(logic) = tree.symbol(expr) else { return tree.error(expr, "the name of a logic should stand here") };
        if !LOGICS.contains(&logic) {
            return tree.error(expr, format!("the logic {logic} is not supported: {} are", LOGICS.join(", ")));
        }
        if self.session.logic.is_some() {
            return tree.error(self.expr, "the logic is already set");
        }
        self.session.logic = Some(logic.to_owned());
        Ok(())
    }

    fn flag(&self, value: Expr) -> Result<bool, ScriptError> {
        match self.tree.word(value) {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => self.tree.error(value, "`true` or `false` should stand here"),
        }
    }

    pub(super) fn set_option(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        let &[option, value] = args else { return self.wrong_shape("(set-option KEYWORD VALUE)") };
        match self.keyword(option)? {
            "print-success" => self.session.options.prints_success = self.flag(value)?,
            "produce-assertions" | "interactive-mode" => self.session.options.keeps_assertions = self.flag(value)?,
            "global-declarations" => self.session.options.has_global_declarations = self.flag(value)?,
            "produce-models" | "produce-unsat-assumptions" => {
                self.flag(value)?;
            }
            "random-seed" | "verbosity" | "reproducible-resource-limit" => {
                if !matches!(self.tree.atom(value), Some(Token::Numeral(_))) {
                    return self.tree.error(value, "a number should stand here");
                }
            }
            "regular-output-channel" if self.tree.atom(value) == Some(Token::String("stdout")) => {}
            "diagnostic-output-channel" if self.tree.atom(value) == Some(Token::String("stderr")) => {}
            _ => self.output.push_str("unsupported\n"),
        }
        Ok(())
    }

    pub(super) fn get_option(&mut self, expr: Expr) -> Result<(), ScriptError> {
        let value = match self.keyword(expr)? {
            "print-success" => self.session.options.prints_success,
            "produce-assertions" | "interactive-mode" => self.session.options.keeps_assertions,
            "global-declarations" => self.session.options.has_global_declarations,
            "produce-models" | "produce-unsat-assumptions" => true,
            _ => {
                self.output.push_str("unsupported\n");
                return Ok(());
            }
        };
        let _ = writeln!(self.output, "{value}");
        Ok(())
    }
}
