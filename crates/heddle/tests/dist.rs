//! The packages of `cargo xtask dist` can be unpacked and used. The binary is the one of these tests instead of an optimised
//! one, and packages are compressed quickly; everything else is as in a release.

mod folder;

use folder::folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xtask::dist::{pack, Packages, Plan};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn packages(out: &Path) -> Packages {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_heddle"));
    let plan = Plan { root: root(), out: out.to_path_buf(), binary: Some(binary), is_quick: true };
    pack(&plan, &mut Vec::new()).expect("should be packed")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The output of a command that should succeed.
fn printed(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The binary finds the bug of the example that was packed with it.
fn finds_the_bug(heddle: &Path, example: &Path) {
    let mut command = Command::new(heddle);
    // clang is its only dependency on the system besides libraries.
    command.env_clear().env("PATH", "/usr/bin:/bin").env("NO_COLOR", "1");
    let output = run(command.args(["check", "--timeout", "60"]).arg(example));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("unsafe: assertion can fail"), "{text}");
}

/// Checks that nothing names a path of this machine, except the binary, which was not built for others.
fn names_no_place(dir: &Path) {
    let root = root();
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    let places = [Some(root.to_string_lossy().into_owned()), home.map(|home| format!("{home}/"))];
    let mut left = vec![dir.to_path_buf()];
    while let Some(next) = left.pop() {
        if next.is_dir() {
            left.extend(std::fs::read_dir(&next).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if !next.ends_with("bin/heddle") {
            let text = String::from_utf8_lossy(&std::fs::read(&next).expect("a file")).into_owned();
            for place in places.iter().flatten() {
                assert!(!text.contains(place), "{} names {place}", next.display());
            }
        }
    }
}

#[test]
fn packages_are_the_same_every_time_complete_and_run() {
    let (folder, again) = (folder("packages"), folder("again"));
    let (packages, twin) = std::thread::scope(|scope| {
        let twin = scope.spawn(|| self::packages(&again));
        (self::packages(&folder), twin.join().expect("should not panic"))
    });
    let same = |a: &Path, b: &Path| std::fs::read(a).expect("a package") == std::fs::read(b).expect("a package");
    assert!(same(&packages.tarball, &twin.tarball));
    match (&packages.debian, &twin.debian) {
        (Some(one), Some(two)) => assert!(same(one, two)),
        (one, two) => assert_eq!(one.is_some(), two.is_some()),
    }
    the_tarball_is_complete_and_runs(&packages.tarball, &folder);
    the_action_installs_the_tarball(&packages.tarball, &folder);
    match packages.debian {
        Some(package) => the_debian_package_depends_on_what_is_linked_and_runs(&package, &folder),
        None => testing::left_out_unless_strict("dpkg-deb is not installed"),
    }
}

fn the_tarball_is_complete_and_runs(tarball: &Path, folder: &Path) {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(tarball.file_name(), Some(format!("heddle-{version}-x86_64-linux-gnu.tar.gz").as_ref()));
    let listing = printed(Command::new("tar").args(["--list", "--verbose", "--numeric-owner", "--file"]).arg(tarball));
    let lines: Vec<&str> = listing.lines().collect();
    assert!(lines.iter().all(|line| line.split_whitespace().nth(1) == Some("0/0")), "{listing}");
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().last()).collect();
    assert!(names.is_sorted(), "{listing}");

    printed(Command::new("tar").arg("--extract").arg("--file").arg(tarball).current_dir(folder));
    let tree = folder.join(format!("heddle-{version}"));
    printed(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&tree));
    printed(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(folder));
    for file in [
        "INSTALL",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "docs/book/src/SUMMARY.md",
        "share/man/man1/heddle.1",
        "share/man/man1/heddle-check.1",
        "share/bash-completion/completions/heddle",
        "share/zsh/vendor-completions/_heddle",
        "share/fish/vendor_completions.d/heddle.fish",
    ] {
        assert!(tree.join(file).is_file(), "{file} is missing");
    }
    let page = std::fs::read_to_string(tree.join("share/man/man1/heddle-check.1")).expect("a page");
    assert!(page.contains(&format!("\n.TH heddle-check 1 \"\" \"heddle {version}\" Heddle\n")), "{page}");
    printed(Command::new("bash").arg("-n").arg(tree.join("share/bash-completion/completions/heddle")));
    let sums = std::fs::read_to_string(tree.join("SHA256SUMS")).expect("checksums");
    assert_eq!(sums.lines().count(), names.iter().filter(|name| !name.ends_with('/')).count() - 1);
    let licences = std::fs::read_to_string(tree.join("THIRD-PARTY.txt")).expect("licences");
    for words in ["  clap 4", "cadical-sys", "cadical/LICENSE", "Permission is hereby granted", "Armin Biere"] {
        assert!(licences.contains(words), "{words}");
    }
    assert!(!licences.contains("proptest"), "only what is linked");
    names_no_place(&tree);
    finds_the_bug(&tree.join("bin/heddle"), &tree.join("examples/bank.c"));
}

fn the_action_installs_the_tarball(tarball: &Path, folder: &Path) {
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).expect("checksums");
    let name = tarball.file_name().expect("a name").to_string_lossy().into_owned();
    let line = sums.lines().find(|line| line.ends_with(&name)).expect("the tarball's checksum");
    let install = |sum: &str| {
        let mut command = Command::new(root().join("contrib/github-action/install.sh"));
        command.current_dir(folder).env("HEDDLE_PACKAGE", &name).env("HEDDLE_SHA256", sum);
        run(command.env("RUNNER_TEMP", folder).env("GITHUB_PATH", folder.join("path")))
    };
    assert!(!install(&"0".repeat(64)).status.success(), "another checksum is refused");
    assert!(!folder.join("path").exists());
    let output = install(line.split(' ').next().unwrap_or_default());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with(concat!("heddle ", env!("CARGO_PKG_VERSION"), "\n")), "{said}");
    let path = std::fs::read_to_string(folder.join("path")).expect("an entry of the path");
    assert!(Path::new(path.trim()).join("heddle").is_file(), "{path}");
}

fn the_debian_package_depends_on_what_is_linked_and_runs(package: &Path, folder: &Path) {
    let name = format!("heddle_{}_amd64.deb", env!("CARGO_PKG_VERSION"));
    assert_eq!(package.file_name(), Some(name.as_ref()));
    let info = printed(Command::new("dpkg-deb").arg("--info").arg(package));
    for words in [" Package: heddle\n", " Architecture: amd64\n", " Installed-Size: ", " Description: "] {
        assert!(info.contains(words), "{info}");
    }
    let depends = info.lines().find_map(|line| line.strip_prefix(" Depends: ")).expect("what it depends on");
    let names: Vec<&str> = depends.split(", ").filter_map(|one| one.split(' ').next()).collect();
    assert!(names.contains(&"clang-19") && names.contains(&"libc6-dev"), "{depends}");
    for owner in xtask::dist::owners(Path::new(env!("CARGO_BIN_EXE_heddle"))).expect("owners of libraries") {
        assert!(names.contains(&owner.as_str()), "{owner} is not in {depends}");
    }
    assert!(names.iter().any(|name| name.starts_with("libllvm19")), "{depends}");

    let contents = printed(Command::new("dpkg-deb").arg("--contents").arg(package));
    for words in [
        "-rwxr-xr-x root/root",
        " ./usr/bin/heddle\n",
        " ./usr/share/man/man1/heddle-check.1.gz\n",
        " ./usr/share/doc/heddle/copyright\n",
        " ./usr/share/doc/heddle/changelog.gz\n",
        " ./usr/share/doc/heddle/THIRD-PARTY.txt\n",
        " ./usr/share/bash-completion/completions/heddle\n",
        " ./usr/share/zsh/vendor-completions/_heddle\n",
        " ./usr/share/fish/vendor_completions.d/heddle.fish\n",
    ] {
        assert!(contents.contains(words), "{words}: {contents}");
    }
    assert!(contents.lines().all(|line| line.contains(" root/root ")), "{contents}");
    let tree = folder.join("unpacked");
    printed(Command::new("dpkg-deb").arg("--raw-extract").arg(package).arg(&tree));
    printed(Command::new("md5sum").args(["--check", "--strict", "DEBIAN/md5sums"]).current_dir(&tree));
    let log = printed(Command::new("gzip").args(["-dc"]).arg(tree.join("usr/share/doc/heddle/changelog.gz")));
    let first = concat!("heddle (", env!("CARGO_PKG_VERSION"), ") unstable; urgency=medium\n\n  * ");
    assert!(log.starts_with(first) && log.contains("\n\n -- ") && log.ends_with(" +0000\n"), "{log}");
    names_no_place(&tree);
    finds_the_bug(&tree.join("usr/bin/heddle"), &tree.join("usr/share/doc/heddle/examples/bank.c"));
}
