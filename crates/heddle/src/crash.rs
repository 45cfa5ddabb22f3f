//! The one place where panics are caught. A panic is a defect of Heddle: the user gets a message that asks for a
//! report, and exit status 4.

use crate::output;
use crate::status::Status;
use std::sync::Mutex;

/// Programs nest deeply, and functions that walk them recurse as deeply. Only the used part takes memory.
const STACK_BYTES: usize = 512 << 20;

static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs a command on a thread with a large stack.
pub(crate) fn guarded(command: impl FnOnce() -> Status + Send + 'static) -> Status {
    std::panic::set_hook(Box::new(|info| {
        let mut message = info.to_string();
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            message.push_str(&format!("\n{}", std::backtrace::Backtrace::force_capture()));
        }
        // The first panic is the most informative.
        if let Ok(mut first) = PANIC.lock() {
            first.get_or_insert(message);
        }
    }));
    let thread = std::thread::Builder::new().name("heddle".to_owned()).stack_size(STACK_BYTES).spawn(command);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        Ok(Err(_)) => {
            report();
            Status::Internal
        }
        Err(error) => {
            output::complain(&format!("error: no thread can be started: {error}"));
            Status::Internal
        }
    }
}

fn report() {
    let message = PANIC.lock().ok().and_then(|mut first| first.take()).unwrap_or_else(|| "a panic".to_owned());
    let words: Vec<String> = std::env::args_os().map(|word| base::escape::shell(&word.to_string_lossy())).collect();
    output::complain(&format!(
        "internal error: {message}\n\
         This is a defect of Heddle, not of your program, and nothing was decided. Please report it with the\n\
         program and this command line (version {}):\n  {}",
        env!("CARGO_PKG_VERSION"),
        words.join(" ")
    ));
}
