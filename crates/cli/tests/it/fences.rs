//! Fenced blocks of Markdown, for documents and scenarios.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The first line, counted from 1.
    pub(crate) line: usize,
    /// The words after the opening fence.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

/// The fenced blocks of a document, in order. A block ends where its own fence does, so a longer fence holds a
/// shorter one.
pub(crate) fn parse(markdown: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut lines = (1..).zip(markdown.lines());
    while let Some((line, text)) = lines.next() {
        let Some(fence) = text.find(|c| c != '`').or(Some(text.len())).filter(|ticks| *ticks >= 3) else {
            continue;
        };
        let (fence, info) = text.split_at(fence);
        let body: Vec<&str> =
            lines.by_ref().map(|(_, text)| text).take_while(|text| *text != fence).collect();
        let words = info.split_whitespace().map(str::to_owned).collect();
        fences.push(Fence { line, words, text: body.iter().flat_map(|line| [line, "\n"]).collect() });
    }
    fences
}

#[test]
fn block_ends_at_its_own_fence() {
    let text = "````json payload agent=claude\n```\n````\nprose\n```text answer\n```\n";
    let held: Vec<(usize, Vec<String>, String)> =
        parse(text).into_iter().map(|fence| (fence.line, fence.words, fence.text)).collect();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        held,
        [
            (1, words("json payload agent=claude"), "```\n".to_owned()),
            (5, words("text answer"), String::new())
        ]
    );
}
