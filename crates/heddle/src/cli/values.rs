//! How the values of options are read.

use super::PropertyList;
use front::Libc;
use ir::{DataModel, MemoryModel, Property};
use std::time::Duration;

pub(super) fn parse_properties(text: &str) -> Result<PropertyList, String> {
    let mut list = Vec::new();
    for name in text.split(',') {
        let named = if name == "all" { Property::EXPECTED.to_vec() } else { vec![parse_property(name)?] };
        for property in named {
            if !list.contains(&property) {
                list.push(property);
            }
        }
    }
    Ok(PropertyList(list))
}

pub(super) fn parse_property(text: &str) -> Result<Property, String> {
    text.parse()
}

pub(super) fn parse_memory_model(text: &str) -> Result<MemoryModel, String> {
    text.parse()
}

pub(super) fn parse_libc(text: &str) -> Result<Libc, String> {
    let known = Libc::NAMED.map(Libc::name).join(", ");
    let found = Libc::NAMED.into_iter().find(|libc| libc.name() == text);
    found.ok_or_else(|| format!("`{text}` is not one of {known}"))
}

pub(super) fn parse_data_model(text: &str) -> Result<DataModel, String> {
    let found = [DataModel::Ilp32, DataModel::Lp64].into_iter().find(|model| model.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| format!("`{text}` is not one of ilp32, lp64"))
}

pub(super) fn parse_engine(text: &str) -> Result<String, String> {
    match plan::engine_named(text) {
        Some(engine) => Ok(engine.name().to_owned()),
        None => Err(format!("`{text}` is not one of {}", plan::ENGINES.map(|engine| engine.name()).join(", "))),
    }
}

/// `run`, or `run:` and a seed.
pub(super) fn parse_slice(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not `run`, or `run:` and a seed");
    match text.split_once(':') {
        None if text == "run" => Ok(0),
        Some(("run", seed)) => seed.parse().map_err(|_| wrong()),
        None | Some(_) => Err(wrong()),
    }
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 1e9;
    let wrong = |what: &str| format!("not {what} number of seconds, like 60 or 0.5");
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().map_err(|_| wrong("a"))?;
    if seconds > LONGEST {
        return Err(format!("more than {LONGEST} seconds: leave the option out for no limit"));
    }
    if seconds > 0.0 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(wrong("a positive"))
    }
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "not a size like 500M or 4G (a plain number means megabytes)".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "K" | "KB" | "KIB" => 1 << 10,
        "" | "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}
