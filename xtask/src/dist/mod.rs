//! `cargo xtask dist`: installable packages. A tarball with the binary, man pages, completions, documents and licences, and the
//! same as a Debian package.
//!
//! Packages are reproducible: files are sorted, belong to root, and have one date, that of `SOURCE_DATE_EPOCH` or of the last
//! commit. The same binary makes the same bytes. The models of library functions are inside the binary, so they need no
//! files.
//!
//! The binary is built with the names of this machine's directories replaced, and a file that still names one is not packed.
//! For a given binary (`--binary`) this is only a warning.
//!
//! Limits: x86-64 Linux with glibc. The binary links LLVM's shared library and runs clang, both of release 19, which the
//! tarball leaves to the system; the Debian package depends on them.

mod build;
mod debian;
mod licences;
mod tree;

use anyhow::{ensure, Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use debian::owners;

/// The options of packing.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The output directory.
    pub out: PathBuf,
    /// An existing binary; otherwise an optimised one is built.
    pub binary: Option<PathBuf>,
    /// Whether packages are compressed quickly instead of well.
    pub is_quick: bool,
}

/// The packages made.
#[derive(Clone, Debug)]
pub struct Packages {
    /// The tarball.
    pub tarball: PathBuf,
    /// The Debian package; `None` without `dpkg-deb`.
    pub debian: Option<PathBuf>,
    /// Defects of the packages for other machines.
    pub warnings: Vec<String>,
}

/// Makes the packages.
pub fn pack(plan: &Plan, tell: &mut dyn Write) -> Result<Packages> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
        "packages are made on x86-64 Linux with glibc only"
    );
    std::fs::create_dir_all(&plan.out).with_context(|| format!("cannot make {}", plan.out.display()))?;
    let out = plan.out.canonicalize()?;
    let stage = out.join("stage");
    remove(&stage)?;
    let metadata = Metadata::read(&plan.root)?;
    let epoch = epoch(&plan.root)?;
    let built = match &plan.binary {
        Some(binary) => binary.clone(),
        None => build::build(&plan.root, &metadata.target)?,
    };

    let name = format!("heddle-{}", metadata.version);
    let tree = stage.join(&name);
    tree::fill(&plan.root, &tree, &built)?;
    std::fs::write(tree.join("THIRD-PARTY.txt"), licences::collect(&metadata.json)?)?;
    let mut warnings = places_named(&tree, &places(&plan.root, &metadata))?;
    ensure!(warnings.is_empty() || plan.binary.is_some(), "{}", warnings.join("\n"));
    tree::set_modes(&tree)?;
    tree::write_checksums(&tree)?;

    let tarball = out.join(format!("{name}-x86_64-linux-gnu.tar.gz"));
    tree::write_tarball(&stage, &name, &tarball, epoch, plan.is_quick)?;
    writeln!(tell, "{}", tarball.display())?;
    let debian = if has("dpkg-deb") {
        let package = debian::Package { root: &plan.root, tree: &tree, version: &metadata.version, epoch };
        let file = package.write(&stage.join("debian"), &out, plan.is_quick, &mut warnings)?;
        writeln!(tell, "{}", file.display())?;
        Some(file)
    } else {
        warnings.push("no dpkg-deb here, so no Debian package".to_owned());
        None
    };
    remove(&stage)?;
    tree::write_checksums_of(&out, [Some(&tarball), debian.as_ref()].into_iter().flatten())?;
    Ok(Packages { tarball, debian, warnings })
}

/// The metadata of cargo.
struct Metadata {
    json: serde_json::Value,
    version: String,
    target: PathBuf,
}

impl Metadata {
    fn read(root: &Path) -> Result<Metadata> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let platform = ["--filter-platform", "x86_64-unknown-linux-gnu"];
        let mut command = Command::new(cargo);
        command.args(["metadata", "--locked", "--format-version", "1"]).args(platform).current_dir(root);
        let json: serde_json::Value =
            serde_json::from_str(&output(&mut command)?).context("cargo metadata's answer")?;
        let packages = json["packages"].as_array().context("cargo metadata should list packages")?;
        let heddle = packages.iter().find(|package| package["name"] == "heddle").context("a package `heddle`")?;
        let version = heddle["version"].as_str().context("a version of `heddle`")?.to_owned();
        let target = PathBuf::from(json["target_directory"].as_str().context("a target directory")?);
        Ok(Metadata { version, target, json })
    }
}

/// The date of all packed files, in seconds since 1970.
fn epoch(root: &Path) -> Result<u64> {
    if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        return text.parse().with_context(|| format!("SOURCE_DATE_EPOCH is no number of seconds: {text}"));
    }
    let committed = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root));
    // Without a history, for instance in an unpacked archive: the first date that every format can express.
    Ok(committed.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(315_532_800))
}

/// Directories of this machine that packages must not name.
fn places(root: &Path, metadata: &Metadata) -> Vec<String> {
    let mut places = vec![root.to_path_buf(), metadata.target.clone()];
    places.extend(build::cargo_home());
    places.extend(std::env::var_os("HOME").map(PathBuf::from));
    let mut texts: Vec<String> = places.iter().map(|place| place.to_string_lossy().into_owned()).collect();
    // `/` as a home would be found everywhere.
    texts.retain(|text| text.len() > 1);
    texts.sort();
    texts.dedup();
    texts
}

/// The files of a tree that name one of the places.
fn places_named(tree: &Path, places: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in tree::files(tree)? {
        let bytes = std::fs::read(tree.join(&file))?;
        for place in places {
            if contains(&bytes, place.as_bytes()) {
                found.push(format!("{file} names a directory of this machine: {place}"));
            }
        }
    }
    Ok(found)
}

/// Whether the place is named: followed by a slash, or by something that ends a path. The name of a directory of the
/// root, such as `/src`, may also occur inside other paths, so it has to be at the beginning of one. That is not
/// required of others: in a binary one text begins where another ends.
fn contains(bytes: &[u8], place: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let is_short = place.iter().filter(|byte| **byte == b'/').count() == 1;
    let is_at = |start: usize| {
        let (before, rest) = bytes.split_at(start);
        let begins = !is_short || !before.last().is_some_and(is_part);
        rest.starts_with(place) && begins && !rest.get(place.len()).is_some_and(is_part)
    };
    bytes.iter().enumerate().any(|(start, byte)| Some(byte) == place.first() && is_at(start))
}

/// Runs a command; returns its standard output, or its error output as the error.
fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr).trim_end());
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success())
}

fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", dir.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn places_are_found_as_whole_paths() {
        assert!(contains(b"at /somewhere/heddle/src/a.rs", b"/somewhere/heddle"));
        assert!(contains(b"/somewhere/heddle", b"/somewhere/heddle"));
        assert!(!contains(b"/somewhere/heddle-0.1/src", b"/somewhere/heddle"));
        assert!(!contains(b"/elsewhere", b"/somewhere"));
        assert!(contains(b"the end/somewhere/heddle", b"/somewhere/heddle"));
        // A possible name of the checkout in a container.
        assert!(!contains(b"target/release/heddle check", b"/heddle"));
        assert!(!contains(b"./crates/ir/src/lib.rs", b"/src"));
        assert!(contains(b"in /src/crates", b"/src"));
    }
}
