//! Exit statuses.

use check::Verdict;
use std::process::ExitCode;
use witness::report::Answer;

/// The exit status of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Every property was proved; or a command that decides nothing succeeded.
    Safe = 0,
    /// A property is violated.
    Unsafe = 1,
    /// Neither.
    Unknown = 2,
    /// The command line or the input cannot be used.
    BadInput = 3,
    /// A defect of Heddle.
    Internal = 4,
}

impl Status {
    /// The worst of several verdicts: unsafe before unknown before safe.
    pub(crate) fn worst<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Status {
        let mut worst = Status::Safe;
        for verdict in verdicts {
            worst = match (verdict, worst) {
                (Verdict::Unsafe(_), _) | (_, Status::Unsafe) => Status::Unsafe,
                (Verdict::Unknown(_), _) => Status::Unknown,
                (Verdict::Safe(_), worst) => worst,
            };
        }
        worst
    }

    /// The answer in reports.
    pub(crate) fn answer(self) -> Answer {
        match self {
            Status::Safe => Answer::Safe,
            Status::Unsafe => Answer::Unsafe,
            Status::Unknown => Answer::Unknown,
            Status::BadInput | Status::Internal => Answer::Error,
        }
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}
