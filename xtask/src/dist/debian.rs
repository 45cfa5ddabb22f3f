//! The Debian package, made with `dpkg-deb` from the tree that the tarball has.
//!
//! Its dependencies are computed: `dpkg-shlibdeps` determines the packages of the shared libraries that the binary is
//! linked with, and the oldest sufficient versions. Without that tool the packages are listed without versions. clang and
//! the C headers are not linked but run and read, so they are named here.

use super::{has, output, tree};
use anyhow::{ensure, Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that Heddle runs, and the headers that checked programs include.
const ALWAYS: [&str; 2] = ["clang-19", "libc6-dev"];

const DESCRIPTION: &str = "\
Description: verifier for multithreaded C programs
 Heddle proves that assertions of a multithreaded C program hold in every
 execution, that it has no data race, deadlock, misuse of locks or invalid
 memory access, or shows an execution in which it does, replayed step by step.
 Programs run under sequential consistency or a weak memory model.
";

/// The contents of the package.
pub(super) struct Package<'a> {
    pub(super) root: &'a Path,
    /// The tree of the tarball; it is consumed.
    pub(super) tree: &'a Path,
    pub(super) version: &'a str,
    pub(super) epoch: u64,
}

impl Package<'_> {
    /// Writes the package into `out`, by way of the directory `stage`.
    pub(super) fn write(
        &self,
        stage: &Path,
        out: &Path,
        is_quick: bool,
        warnings: &mut Vec<String>,
    ) -> Result<PathBuf> {
        let documents = stage.join("usr/share/doc/heddle");
        tree::move_to(&self.tree.join("bin"), &stage.join("usr/bin"))?;
        tree::move_to(&self.tree.join("share"), &stage.join("usr/share"))?;
        fs::create_dir_all(&documents)?;
        // Licences go into the file `copyright`, checksums into `md5sums`.
        for name in tree::DOCUMENTS.into_iter().chain(["THIRD-PARTY.txt"]) {
            if !name.starts_with("LICENSE-") {
                tree::move_to(&self.tree.join(name), &documents.join(name))?;
            }
        }
        fs::write(documents.join("copyright"), self.copyright()?)?;
        fs::write(documents.join("changelog"), self.changelog()?)?;
        compress(&documents, "changelog")?;
        let pages = stage.join("usr/share/man/man1");
        for page in tree::files(&pages)? {
            compress(&pages, &page)?;
        }
        let files = tree::files(stage)?;
        let depends = depends(&stage.join("usr/bin/heddle"), stage, warnings)?;
        fs::create_dir(stage.join("DEBIAN"))?;
        fs::write(stage.join("DEBIAN/control"), self.control(stage, &files, &depends)?)?;
        fs::write(stage.join("DEBIAN/md5sums"), output(Command::new("md5sum").args(&files).current_dir(stage))?)?;
        tree::set_modes(stage)?;
        let file = out.join(format!("heddle_{}_amd64.deb", self.version));
        let how: &[&str] = if is_quick { &["-Zgzip", "-z1"] } else { &["-Zxz"] };
        let mut command = Command::new("dpkg-deb");
        command.args(["--build", "--root-owner-group"]).args(how).arg(stage).arg(&file);
        output(command.env("SOURCE_DATE_EPOCH", self.epoch.to_string()))?;
        Ok(file)
    }

    fn control(&self, stage: &Path, files: &[String], depends: &str) -> Result<String> {
        let mut bytes = 0;
        for file in files {
            bytes += fs::metadata(stage.join(file))?.len();
        }
        Ok(format!(
            "Package: heddle\nVersion: {}\nSection: devel\nPriority: optional\nArchitecture: amd64\n\
             Maintainer: {}\nInstalled-Size: {}\nDepends: {depends}\n\
             Recommends: gcc-multilib\nSuggests: graphviz\n{DESCRIPTION}",
            self.version,
            maintainer(),
            bytes.div_ceil(1024),
        ))
    }

    /// In Debian's form, which tools read; the release notes are elsewhere.
    fn changelog(&self) -> Result<String> {
        let date = output(Command::new("date").args(["-u", "-R", "-d"]).arg(format!("@{}", self.epoch)))?;
        Ok(format!(
            "heddle ({}) unstable; urgency=medium\n\n  * What is new is told by CHANGELOG.md beside this file.\n\n -- {}  {date}",
            self.version,
            maintainer(),
        ))
    }

    /// In the machine-readable form that Debian requires.
    fn copyright(&self) -> Result<String> {
        let mit = fs::read_to_string(self.root.join("LICENSE-MIT"))?;
        let holder = mit.lines().find(|line| line.starts_with("Copyright")).context("LICENSE-MIT names nobody")?;
        let body = mit.lines().skip_while(|line| !line.starts_with("Permission"));
        let body: Vec<String> =
            body.map(|line| if line.is_empty() { " .".to_owned() } else { format!(" {line}") }).collect();
        Ok(format!(
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
             Upstream-Name: Heddle\n\
             Comment: THIRD-PARTY.txt beside this file has the licences of the libraries inside the binary.\n\n\
             Files: *\nCopyright: {}\nLicense: Apache-2.0 or Expat\n\n\
             License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n\n\
             License: Expat\n{}\n",
            holder.trim_start_matches("Copyright (c) "),
            body.join("\n"),
        ))
    }
}

fn maintainer() -> String {
    let from_environment = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let name = from_environment("DEBFULLNAME", "The Heddle developers");
    format!("{name} <{}>", from_environment("DEBEMAIL", "heddle@invalid"))
}

fn compress(dir: &Path, file: &str) -> Result<()> {
    output(Command::new("gzip").args(["-9", "-n", "-f"]).arg(dir.join(file))).map(drop)
}

/// The field `Depends` for a binary.
fn depends(binary: &Path, stage: &Path, warnings: &mut Vec<String>) -> Result<String> {
    let linked = if has("dpkg-shlibdeps") {
        by_symbols(binary, stage)?
    } else {
        warnings.push("the Debian package depends on any versions of libraries: there is no dpkg-shlibdeps".to_owned());
        owners(binary)?.into_iter().collect()
    };
    ensure!(!linked.is_empty(), "the binary should be linked with shared libraries");
    Ok(ALWAYS.map(str::to_owned).into_iter().chain(linked).collect::<Vec<String>>().join(", "))
}

/// The output of `dpkg-shlibdeps`. It requires a source package, of which it reads next to nothing.
fn by_symbols(binary: &Path, stage: &Path) -> Result<Vec<String>> {
    let source = stage.with_extension("source");
    fs::create_dir_all(source.join("debian"))?;
    fs::write(source.join("debian/control"), "Source: heddle\n\nPackage: heddle\nArchitecture: any\n")?;
    let text = output(Command::new("dpkg-shlibdeps").arg("-O").arg(binary).current_dir(&source))?;
    let list = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends=")).unwrap_or_default();
    Ok(list.split(", ").map(str::to_owned).collect())
}

/// The packages that own the shared libraries which a binary names directly.
pub fn owners(binary: &Path) -> Result<BTreeSet<String>> {
    let headers = output(Command::new("objdump").arg("-p").arg(binary))?;
    let resolved = output(Command::new("ldd").arg(binary))?;
    let mut found = BTreeSet::new();
    for library in headers.lines().filter_map(|line| line.trim().strip_prefix("NEEDED")).map(str::trim) {
        // `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`; the loader has a line of its own form.
        let line = resolved.lines().map(str::trim).find(|line| line.contains(library));
        let words = line.with_context(|| format!("{library} is not installed"))?.split_whitespace();
        let path = words.into_iter().find(|word| word.starts_with('/')).context("ldd should tell a path")?;
        let path = fs::canonicalize(path).with_context(|| format!("cannot find {path}"))?;
        found.insert(owner(&path)?);
    }
    Ok(found)
}

/// The package that owns a file, without its architecture.
fn owner(path: &Path) -> Result<String> {
    // If `/lib` is a link to `/usr/lib`, the package database may know the file by either name.
    let other = Path::new("/").join(path.strip_prefix("/usr").unwrap_or(path));
    let told = output(Command::new("dpkg").arg("-S").arg(path))
        .or_else(|_| output(Command::new("dpkg").arg("-S").arg(other)))?;
    let package = told.split(':').next().unwrap_or_default();
    ensure!(!package.is_empty(), "no package owns {}", path.display());
    Ok(package.to_owned())
}
