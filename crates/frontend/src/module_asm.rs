//! Assembly outside functions.
//!
//! Most of it only talks to the assembler and linker: symbol versions, notes, visibility. Code and data in it are not
//! read, so symbols that it defines stay undefined, and using one is an error like any other undefined symbol. It is
//! refused when that would be wrong without a word: when code in it runs by itself, or when a model would take the
//! place of something it defines.

/// What in the assembly cannot be left out, if anything. `is_modelled` says whether a model stands in for an undefined
/// function of that name.
pub(crate) fn needed(assembly: &str, is_modelled: impl Fn(&str) -> bool) -> Option<String> {
    for statement in assembly.split(['\n', ';']).map(str::trim) {
        let words: Vec<&str> = statement.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
        let starts_by_itself = ["init_array", ".init", ".fini", "ctors", "dtors"];
        if let [".section" | ".pushsection", name, ..] = words.as_slice()
            && starts_by_itself.iter().any(|part| name.contains(part))
        {
            return Some(format!("assembly outside functions that runs by itself (`{statement}`)"));
        }
        let defined = match words.as_slice() {
            [".set" | ".equ" | ".equiv", name, ..] | [name, "=", ..] => Some(*name),
            [first, ..] => first.strip_suffix(':'),
            [] => None,
        };
        if let Some(name) = defined.filter(|name| is_modelled(name)) {
            return Some(format!("assembly outside functions that defines `{name}`"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::needed;

    #[test]
    fn only_what_matters_is_refused() {
        let modelled = |name: &str| name == "memcpy";
        assert_eq!(needed(".symver memcpy_old, memcpy@GLIBC_2.2.5\n.section .note.x; .ident \"y\"", modelled), None);
        assert_eq!(needed(".globl f\nf: ret\n", modelled), None);
        assert!(needed("memcpy:\n ret", modelled).is_some_and(|why| why.contains("`memcpy`")));
        assert!(needed(".set memcpy, other", modelled).is_some());
        assert!(needed(".section .init_array,\"aw\"\n.quad f", modelled).is_some());
    }
}
