//! Parts of documents that are made from the code: between `<!-- generated: NAME -->` and
//! `<!-- end of NAME -->`.

use std::fs;

use crate::tree;

/// Compares a generated part with the document, or rewrites it if `UPDATE_DOCS` is set.
pub(crate) fn check(document: &str, name: &str, generated: &str) {
    let (begin, end) = (format!("<!-- generated: {name} -->"), format!("<!-- end of {name} -->"));
    let text = tree::text(document);
    let (before, rest) =
        text.split_once(&begin).unwrap_or_else(|| panic!("{document} has no line `{begin}`"));
    let (written, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{document} has no line `{end}`"));
    let wanted = format!("\n{}\n", generated.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(tree::root().join(document), format!("{before}{begin}{wanted}{end}{after}")).unwrap();
    } else {
        assert_eq!(written, wanted, "the part `{name}` of {document} is stale; run `just docs`");
    }
}
