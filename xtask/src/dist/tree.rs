//! The tree that is packed, and the tarball made from it. `bin` and `share` are as under `/usr`; the documents lie beside
//! them as in the source, so that links between them are valid.

use super::output;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The documents, copied from the root of the project.
pub(super) const DOCUMENTS: [&str; 8] =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE-APACHE", "LICENSE-MIT", "docs", "examples", "contrib"];

/// Completions: the shell, and the path of its file under `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/heddle"),
    ("zsh", "zsh/vendor-completions/_heddle"),
    ("fish", "fish/vendor_completions.d/heddle.fish"),
];

/// Instructions for users of the tarball; the README describes building from source.
const INSTALL: &str = "\
Heddle for x86-64 Linux with glibc.

It runs clang 19 and is linked with LLVM 19's shared library, libLLVM.so.19.1. Neither is in here:

    apt install clang-19 libc6-dev    # Debian 12, Ubuntu 24.04 and later; the library comes along
    apt install gcc-multilib          # for --data-model ilp32

It runs from where it was unpacked:

    bin/heddle check examples/bank.c

and from elsewhere with its man pages and completions:

    cp -r bin share /usr/local
";

/// Puts the binary, its generated files, and the documents into a new tree.
pub(super) fn fill(root: &Path, tree: &Path, binary: &Path) -> Result<()> {
    let heddle = tree.join("bin/heddle");
    fs::create_dir_all(tree.join("bin"))?;
    fs::copy(binary, &heddle).with_context(|| format!("cannot copy {}", binary.display()))?;
    // Function names are kept: a crash report has little else.
    output(Command::new("strip").arg("--strip-debug").arg(&heddle))?;
    output(Command::new(&heddle).args(["man", "--dir"]).arg(tree.join("share/man/man1")))?;
    for (shell, file) in COMPLETIONS {
        let file = tree.join("share").join(file);
        fs::create_dir_all(file.parent().context("a directory for completions")?)?;
        fs::write(&file, output(Command::new(&heddle).args(["completions", shell]))?)?;
    }
    for document in DOCUMENTS {
        copy(&root.join(document), &tree.join(document))?;
    }
    Ok(fs::write(tree.join("INSTALL"), INSTALL)?)
}

/// Copies a file or a directory.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("cannot copy {}", from.display());
    if !from.is_dir() {
        fs::copy(from, to).with_context(context)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(context)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The files below a directory, relative to it and sorted.
pub(super) fn files(tree: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::from(tree)];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.push(path.strip_prefix(tree)?.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Makes everything readable and programs executable for everybody, regardless of this machine's defaults.
pub(super) fn set_modes(tree: &Path) -> Result<()> {
    let mut left = vec![PathBuf::from(tree)];
    while let Some(path) = left.pop() {
        let is_program = fs::metadata(&path)?.permissions().mode() & 0o100 != 0;
        fs::set_permissions(&path, fs::Permissions::from_mode(if is_program { 0o755 } else { 0o644 }))?;
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        }
    }
    Ok(())
}

/// `SHA256SUMS` of a tree, for `sha256sum --check`.
pub(super) fn write_checksums(tree: &Path) -> Result<()> {
    let sums = output(Command::new("sha256sum").args(files(tree)?).current_dir(tree))?;
    fs::write(tree.join("SHA256SUMS"), sums)?;
    set_modes(&tree.join("SHA256SUMS"))
}

/// `SHA256SUMS` of some files of a directory.
pub(super) fn write_checksums_of<'f>(dir: &Path, files: impl Iterator<Item = &'f PathBuf>) -> Result<()> {
    let names = files.filter_map(|file| file.file_name());
    let sums = output(Command::new("sha256sum").args(names).current_dir(dir))?;
    Ok(fs::write(dir.join("SHA256SUMS"), sums)?)
}

/// Packs the directory `name` of `stage`.
pub(super) fn write_tarball(stage: &Path, name: &str, tarball: &Path, epoch: u64, is_quick: bool) -> Result<()> {
    let plain = stage.join("tree.tar");
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner", "--create", "--file"]);
    output(tar.arg(&plain).arg(format!("--mtime=@{epoch}")).arg(name).current_dir(stage))?;
    let level = if is_quick { "-1" } else { "-9" };
    // `-n`: stores neither name nor date of the packed file.
    output(Command::new("gzip").args(["-n", "-f", level]).arg(&plain))?;
    let _ = fs::remove_file(tarball);
    fs::rename(stage.join("tree.tar.gz"), tarball).with_context(|| format!("cannot write {}", tarball.display()))
}

/// Moves a file or directory to a free place in the same file system.
pub(super) fn move_to(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("a parent directory")?)?;
    fs::rename(from, to).with_context(|| format!("cannot move {}", from.display()))
}
