//! Names of C++ as their authors know them: `std::thread::join` for `_ZNSt6thread4joinEv`.
//!
//! Parameters are left out, as they are for functions of C. So overloaded functions have one name.

use std::borrow::Cow;

use cpp_demangle::{DemangleOptions, Symbol};

/// How symbols of the Itanium C++ ABI begin.
const PREFIX: &str = "_Z";

/// What descriptions of types begin with, where a message names a type.
const TYPE_NAME: &str = "typeinfo name for ";

/// The name of a function or variable in its source, from its symbol; the symbol itself if it is no name of C++.
/// Linear in the length of the result.
pub fn source_name(symbol: &str) -> Cow<'_, str> {
    if !symbol.starts_with(PREFIX) {
        return Cow::Borrowed(symbol);
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let named = Symbol::new(symbol).ok().and_then(|parsed| parsed.demangle_with_options(&options).ok());
    named.map_or(Cow::Borrowed(symbol), |name| match name.strip_prefix(TYPE_NAME) {
        Some(of_type) => Cow::Owned(of_type.to_owned()),
        None => Cow::Owned(name),
    })
}

/// A text with the names of C++ in place of the symbols in it.
pub fn source_text(text: &str) -> Cow<'_, str> {
    if !text.contains(PREFIX) {
        return Cow::Borrowed(text);
    }
    let is_symbol = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_symbol) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_symbol(c)).unwrap_or(word.len());
        result.push_str(before);
        result.push_str(&source_name(&word[..end]));
        rest = &word[end..];
    }
    result.push_str(rest);
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_functions_and_variables() {
        assert_eq!(source_name("_ZNSt6thread4joinEv"), "std::thread::join");
        assert_eq!(source_name("_ZN4Pool3addEi"), "Pool::add");
        assert_eq!(source_name("_ZL4lock"), "lock");
        assert_eq!(source_name("_ZSt4cout"), "std::cout");
        assert_eq!(source_name("_ZNSt18condition_variable10notify_oneEv"), "std::condition_variable::notify_one");
    }

    #[test]
    fn what_is_no_symbol_stays() {
        for name in ["main", "pthread_join", "_Znonsense_", "_ZN", ""] {
            assert_eq!(source_name(name), name);
        }
    }

    #[test]
    fn symbols_in_a_text() {
        assert_eq!(source_text("throwing _ZTSSt13runtime_error is"), "throwing std::runtime_error is");
        assert_eq!(source_text("_ZNSt6thread4joinEv(thread 1)"), "std::thread::join(thread 1)");
        assert_eq!(source_text("nothing of it"), "nothing of it");
    }
}
