//! Compiles the C models to one bitcode file that is built into the library, and what programs need of the C++ library
//! to another one.
//!
//! `ICSCHED_CLANG` names the compiler; otherwise `clang-22`, or the one beside the LLVM that is linked. Locals of the
//! models are promoted to SSA values here, once, and no code of theirs is duplicated. What they read before it is
//! written would be any value, so there is nothing of that kind in them: the compiler's warnings are errors.
//!
//! Each run reads and links them, so what nobody looks at is left out: names of values (variables have theirs in debug
//! information), what is known of aliases, and the order of uses. Without marks of lifetimes a `return` in a loop is no
//! longer a number that says where to go on, beside a result that is undefined until then.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options for both languages; [`C`] and [`CXX`] come after them.
const FLAGS: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-fno-strict-aliasing",
    "-g",
    "-D_GNU_SOURCE",
    "-U_FORTIFY_SOURCE",
    "-fno-builtin",
    "-fdiscard-value-names",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-Werror=uninitialized",
    "-Werror=conditional-uninitialized",
    "--target=x86_64-linux-gnu",
];

const C: &[&str] = &["-std=gnu11"];

/// Where an exception would be thrown the path ends, so nothing of them is compiled in.
const CXX: &[&str] = &["-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"];

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let sources = manifest.join("../../runtime-models");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-env-changed=ICSCHED_CLANG");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");

    let mut models = sources_of(&sources);
    if models.is_empty() {
        let empty = out.join("empty.c");
        std::fs::write(&empty, "int __ics_no_models;\n").expect("OUT_DIR is writable");
        models.push(empty);
    }
    compile(&sources, &models, &out.join("models.bc"));
    compile(&sources, &sources_of(&sources.join("cxx")), &out.join("cxx.bc"));
}

/// Compiles files to one bitcode file.
fn compile(models: &Path, files: &[PathBuf], result: &Path) {
    let clang = tool("ICSCHED_CLANG", "clang");
    let parts = result.with_extension("parts");
    std::fs::create_dir_all(&parts).expect("OUT_DIR is writable");
    let mut modules = Vec::new();
    for file in files {
        let stem = file.file_stem().expect("a source has a name").to_string_lossy().into_owned();
        let module = parts.join(format!("{stem}.bc"));
        let mut command = Command::new(&clang);
        command.args(FLAGS).args(if is_c(file) { C } else { CXX }).arg("-I").arg(models);
        command.arg(format!("-ffile-prefix-map={}=runtime-models", models.display()));
        run(command.arg(file).arg("-o").arg(&module));
        modules.push(module);
    }
    let linked = parts.join("linked");
    run(Command::new(tool("ICSCHED_LLVM_LINK", "llvm-link")).args(&modules).arg("-o").arg(&linked));
    let promote = ["-passes=mem2reg", "-preserve-bc-uselistorder=false", "-o"];
    run(Command::new(tool("ICSCHED_OPT", "opt")).arg(&linked).args(promote).arg(result));
}

fn is_c(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c")
}

/// The sources in a folder, C and C++, in a fixed order.
fn sources_of(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cc"))
        .collect();
    files.sort();
    files
}

/// `$VARIABLE`, else NAME of LLVM 22 on the path or beside the library.
fn tool(variable: &str, name: &str) -> PathBuf {
    if let Some(given) = env::var_os(variable) {
        return PathBuf::from(given);
    }
    let versioned = PathBuf::from(format!("{name}-22"));
    if Command::new(&versioned).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return versioned;
    }
    let prefix = env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    prefix.join("bin").join(name)
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    assert!(status.success(), "{command:?} failed: {status}");
}
