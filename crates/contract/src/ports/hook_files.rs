//! The files of an agent that has no settings and runs whatever lies in a folder under the name of an event: their
//! texts as one, so that they are shown, compared and installed like settings.

/// The texts of several files as one, each under a heading with its name.
pub fn joined<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut all = String::new();
    for (name, text) in files {
        all.push_str(&heading(name));
        all.push('\n');
        all.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            all.push('\n');
        }
    }
    all
}

/// The files of a text, in its order. Only these names make a heading.
pub fn split<'a>(text: &'a str, names: &[&'static str]) -> Vec<(&'static str, &'a str)> {
    let mut files: Vec<(&'static str, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match names.iter().find(|name| line.trim_end() == heading(name)) {
            Some(name) => files.push((name, end, end)),
            None => files.iter_mut().rev().take(1).for_each(|file| file.2 = end),
        }
        at = end;
    }
    files.into_iter().map(|(name, from, to)| (name, &text[from..to])).collect()
}

/// The line above the text of a file.
pub fn heading(name: &str) -> String {
    format!("==> {name} <==")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_files_split_again() {
        let names = ["A", "B", "C"];
        for files in [
            vec![],
            vec![("A", "one\n")],
            vec![("C", "#!/bin/sh\n\n==> D <==\n"), ("A", "")],
            vec![("B", "no end\n"), ("A", "\n\n")],
        ] {
            assert_eq!(split(&joined(files.iter().copied()), &names), files);
        }
        assert_eq!(split("before\n==> B <==\nb", &names), [("B", "b")]);
    }
}
