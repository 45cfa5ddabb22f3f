//! Mutants of the models: each is compiled as by the build script, to images that the instrumented front end reads
//! instead of its own.

use super::c;
use super::site::Site;
use anyhow::{ensure, Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "../../../crates/front/src/flags.rs"]
mod flags;

/// The two data models: the names of images, and clang's flag.
const DATA_MODELS: [(&str, &str); 2] = [("lp64", "-m64"), ("ilp32", "-m32")];

/// The original models.
pub(super) struct Models {
    dir: PathBuf,
    /// The text of each file.
    pub(super) texts: BTreeMap<String, String>,
    /// Without debug information: the images of each file that is compiled.
    plain: BTreeMap<(String, &'static str), Vec<u8>>,
}

impl Models {
    /// Reads and compiles them.
    pub(super) fn read(dir: &Path, work: &Path) -> Result<Models> {
        let mut models = Models { dir: dir.to_owned(), texts: BTreeMap::new(), plain: BTreeMap::new() };
        for entry in std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            models.texts.insert(name, std::fs::read_to_string(&path)?);
        }
        for name in models.texts.keys().filter(|name| name.ends_with(".c")) {
            for (model, flag) in DATA_MODELS {
                let image = work.join("plain.bc");
                ensure!(compile(dir, name, &[flag, "-g0"], &image)?, "{name} does not compile");
                models.plain.insert((name.clone(), model), std::fs::read(image)?);
            }
        }
        Ok(models)
    }

    /// All mutation sites, with their files.
    pub(super) fn sites(&self) -> Vec<(String, Site)> {
        let mut names = c::Names::default();
        self.texts.values().for_each(|text| names.add(text));
        let files = self.texts.iter();
        files.flat_map(|(file, text)| c::sites(text, &names).into_iter().map(|site| (file.clone(), site))).collect()
    }

    /// Writes the images that a mutation changes into a directory; returns whether there are some, and all of them
    /// compile.
    pub(super) fn compile(&self, file: &str, site: &Site, images: &Path) -> Result<bool> {
        let source = images.join("models");
        std::fs::create_dir_all(&source)?;
        for (name, text) in &self.texts {
            let mut text = text.clone();
            if name == file {
                // Lines keep their numbers, so that unchanged code gives equal images.
                let lines = site.before(&text).matches('\n').count().saturating_sub(site.after.matches('\n').count());
                text.replace_range(site.range.clone(), &(site.after.clone() + &"\n".repeat(lines)));
            }
            std::fs::write(source.join(name), text)?;
        }
        let mut is_changed = false;
        for (name, model) in self.plain.keys().filter(|(name, _)| name == file || file.ends_with(".h")) {
            let flag = DATA_MODELS.iter().find(|(other, _)| other == model).map_or("", |(_, flag)| *flag);
            let plain = images.join("plain.bc");
            if !compile(&source, name, &[flag, "-g0"], &plain)? {
                return Ok(false);
            }
            if std::fs::read(&plain)? == self.plain[&(name.clone(), *model)] {
                continue;
            }
            is_changed = true;
            let stem = name.trim_end_matches(".c");
            compile(&source, name, &[flag], &images.join(format!("{stem}.{model}.bc")))?;
        }
        Ok(is_changed)
    }

    /// The file's path, from the root of the project.
    pub(super) fn path(&self, root: &Path, file: &str) -> PathBuf {
        let path = self.dir.join(file);
        path.strip_prefix(root).unwrap_or(&path).to_owned()
    }
}

/// Compiles one model; returns whether clang accepts it. Images name their files as `models/NAME`.
fn compile(dir: &Path, name: &str, args: &[&str], image: &Path) -> Result<bool> {
    let status = Command::new(flags::CLANG)
        .args(flags::FLAGS)
        .args(flags::MODEL_FLAGS)
        .args(args)
        .arg("-o")
        .arg(image)
        .arg(Path::new("models").join(name))
        .current_dir(dir.parent().unwrap_or(dir))
        .stderr(Stdio::null())
        .status();
    Ok(status.with_context(|| format!("cannot run {}", flags::CLANG))?.success())
}
