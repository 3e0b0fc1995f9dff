//! Names of models, and what they need.

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use tempfile::TempDir;
use tenter_models::Api;
use tenter_models::client::{ModelSpec, RetryPolicy};

use crate::chat::{Chat, patience};
use crate::raw_client::serve;

#[test]
fn what_is_no_model_is_told_with_what_to_write() {
    let specs = [
        "",
        "gpt-5",
        "openia:gpt-5",
        "anthropic:",
        "gemini:models/x",
        "http://",
        "https://?x#m",
        "scripted:",
        "scripted+openai:x",
        "mistral:large",
        "ftp://x",
    ];
    let told: Vec<String> = specs
        .iter()
        .map(|spec| match ModelSpec::parse(spec) {
            Ok(spec) => panic!("{spec:?}"),
            Err(error) => format!("{spec}\n    {error}"),
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_missing_is_named() {
    let told = |spec: &str, environment: &[(&str, &str)]| {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        ModelSpec::parse(spec)
            .unwrap()
            .connect(&environment)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (spec, variable) in
        [("anthropic:m", "ANTHROPIC_API_KEY"), ("openai:m", "OPENAI_API_KEY"), ("gemini:m", "GEMINI_API_KEY")]
    {
        let expected = format!("; type: export {variable}=…");
        assert!(told(spec, &[]).ends_with(&expected), "{}", told(spec, &[]));
        assert!(told(spec, &[(variable, "  ")]).ends_with(&expected), "a blank key is none");
    }
    let wrong = told("openai:m", &[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "localhost")]);
    assert!(wrong.contains("OPENAI_BASE_URL is no address"), "{wrong}");
    assert!(told("scripted:/nowhere/script.yaml", &[]).contains("/nowhere/script.yaml cannot be read"));
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("script.yaml");
    fs::write(&file, "version: 1\nturns: [ { sya: x } ]").unwrap();
    let told = told(&format!("scripted:{}", file.display()), &[]);
    assert!(told.ends_with("turn 1: unknown key `sya`; did you mean `say`?"), "{told}");
}

#[test]
fn a_server_is_asked_which_model_it_has() {
    let server = serve("version: 1\nturns: [ { say: one }, { say: two }, { say: three } ]");
    let url = server.url();
    for (spec, name) in [
        (format!("{url}/v1"), format!("{url}/v1#scripted")),
        (url.replace("//", "//me:secret@"), format!("{url}/v1#scripted")),
        (format!("{url}/v1/chat/completions#mine"), format!("{url}/v1#mine")),
    ] {
        let model = ModelSpec::parse(&spec).unwrap().connect(&[]).unwrap();
        assert_eq!(model.name(), name);
        assert!(!Chat::of(model).ask().unwrap().text().is_empty());
    }
    assert!(server.finish().is_complete());
    let gone = ModelSpec::parse(&url).unwrap().connect(&[]).err().unwrap().to_string();
    assert!(
        gone.contains("cannot be reached") && gone.ends_with("start the server, or check the address"),
        "{gone}"
    );
}

#[test]
fn a_script_is_played_in_the_api_that_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("script.yaml");
    fs::write(&file, "version: 1\nturns: [ { say: Hello. } ]").unwrap();
    let words =
        std::iter::once("scripted".to_owned()).chain(Api::ALL.map(|api| format!("scripted+{}", api.name())));
    for word in words {
        let spec = format!("{word}:{}", file.display());
        let model = ModelSpec::parse(&spec).unwrap().connect(&[]).unwrap();
        assert_eq!(model.name(), spec);
        assert_eq!(Chat::of(model).ask().unwrap().text(), "Hello.", "{spec}");
    }
}

#[test]
fn no_proxy_follows_the_shared_table() {
    for (url, list, direct) in include!("../../../net/tests/no_proxy_cases.in") {
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        proxy.set_nonblocking(true).unwrap();
        let address = format!("http://{}", proxy.local_addr().unwrap());
        let environment = [("HTTP_PROXY", address.as_str()), ("NO_PROXY", list)];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let patience = RetryPolicy { silence: Duration::from_millis(200), tries: 1, ..patience() };
        let spec = ModelSpec::parse(&format!("{url}v1#m")).unwrap().with_policy(patience);
        Chat::of(spec.connect(&environment).unwrap()).ask().unwrap_err();
        assert_eq!(proxy.accept().is_err(), direct, "{url} {list}");
    }
}
