//! All messages are made here from typed data, so that a test can rename every message and check that nothing depends on the text.
//!
//! The feature `renamed-messages` is for tests. With it and the environment variable `HEDDLE_RENAME_MESSAGES`, each letter of each
//! message is replaced by the next one of the alphabet. Without the feature messages pass unchanged.

use std::fmt;

/// Writes a message.
pub fn show(f: &mut fmt::Formatter<'_>, say: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> fmt::Result {
    #[cfg(feature = "renamed-messages")]
    if is_renaming() {
        let mut text = String::new();
        say(&mut text)?;
        return f.write_str(&renamed(text));
    }
    say(f)
}

/// A message for storage.
pub fn message(text: impl Into<String>) -> String {
    #[cfg(feature = "renamed-messages")]
    if is_renaming() {
        return renamed(text.into());
    }
    text.into()
}

#[cfg(feature = "renamed-messages")]
fn is_renaming() -> bool {
    static IS_ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *IS_ON.get_or_init(|| std::env::var_os("HEDDLE_RENAME_MESSAGES").is_some())
}

#[cfg(feature = "renamed-messages")]
fn renamed(text: String) -> String {
    let next = |c: char| match c {
        'z' => 'a',
        'Z' => 'A',
        'a'..='y' | 'A'..='Y' => char::from(c as u8 + 1),
        _ => c,
    };
    text.chars().map(next).collect()
}
