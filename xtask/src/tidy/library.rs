//! Every modelled library function has a row with a test, and `docs/library.md` is the page generated from the tables.

use super::Finding;
use crate::library::{page, tables};
use std::path::Path;

pub(super) fn check(root: &Path) -> Vec<Finding> {
    let tables = match tables(root) {
        Ok(tables) => tables,
        Err(error) => return vec![Finding::error("xtask/src/library/tables", 0, format!("{error:#}"))],
    };
    let missing = page::missing(&tables, &front::modelled()).into_iter();
    let mut findings: Vec<Finding> =
        missing.map(|problem| Finding::error("xtask/src/library/tables", 0, problem)).collect();
    if std::fs::read_to_string(root.join(page::PAGE)).ok() != Some(page::page(&tables)) {
        let message = "is not what `cargo xtask library --write-docs` writes";
        findings.push(Finding::error(page::PAGE, 0, message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_page_that_is_out_of_date_is_found() {
        let root = std::env::temp_dir().join(format!("heddle-tidy-library-{}", std::process::id()));
        let dir: PathBuf = root.join("xtask/src/library/tables");
        std::fs::create_dir_all(&dir).expect("should be made");
        std::fs::write(dir.join("t.txt"), "\n%%\nstrlen <string.h>\n    remark nothing\n").expect("should be written");
        let messages: Vec<String> = check(&root).into_iter().map(|finding| finding.message).collect();
        std::fs::remove_dir_all(&root).expect("should be removed");
        assert!(messages.contains(&"`strlen` has no test".to_owned()), "{messages:?}");
        assert!(messages.contains(&"`strcpy` has no row".to_owned()), "{messages:?}");
        assert!(messages.iter().any(|message| message.contains("--write-docs")), "{messages:?}");
    }
}
