//! Kinds of tokens that the public rules of gitleaks describe, and a few that are younger than those.

use super::{ALNUM, BASE64, DASH, HEX, Random, Redactor, UPPER, percent, remains};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &str = "123456789";

fn uuid(random: &mut Random) -> String {
    [8, 4, 4, 4, 12].map(|length| random.text(HEX, length)).join("-")
}

fn more_tokens() -> Vec<(&'static str, String)> {
    let random = &mut Random(0x5eed_4321_dcba_0002);
    let mut rows = Vec::new();
    for row in include_str!("kinds.txt").lines() {
        let [kind, begin, alphabet, length] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("`{row}` has not four columns")
        };
        let alphabet = match alphabet {
            "ALNUM" => ALNUM,
            "BASE64" => BASE64,
            "DASH" => DASH,
            "DIGITS" => DIGITS,
            "HEX" => HEX,
            "LOWER" => LOWER,
            "UPPER" => UPPER,
            other => panic!("`{other}` is not an alphabet"),
        };
        let length = length.parse().unwrap();
        rows.push((kind, format!("{begin}{}", random.text(alphabet, length))));
    }
    let mut push = |kind, token| rows.push((kind, token));
    push("Shopify in capitals", format!("shpat_{}", random.text(HEX, 32).to_uppercase()));
    push("Artifactory", format!("cmVmd{}", random.text(ALNUM, 59)));
    push("crates.io", format!("cio{}", random.text(ALNUM, 32)));
    push("ClickHouse", format!("4b1d{}", random.text(ALNUM, 38)));
    push("Plaid", format!("access-production-{}", uuid(random)));
    push("HubSpot", format!("pat-na1-{}", uuid(random)));
    push("LaunchDarkly", format!("sdk-{}", uuid(random)));
    push("Amazon MWS", format!("amzn.mws.{}", uuid(random)));
    push(
        "Asana",
        format!("2/{}/{}:{}", random.text(DIGITS, 16), random.text(DIGITS, 16), random.text(HEX, 32)),
    );
    push("Facebook", format!("{}|{}", random.text(DIGITS, 15), random.text(DASH, 27)));
    push("Mailchimp", format!("{}-us12", random.text(HEX, 32)));
    push("New Relic licence", format!("{}NRAL", random.text(HEX, 36)));
    push("Azure DevOps", format!("{}AZDO{}", random.text(ALNUM, 76), random.text(ALNUM, 4)));
    push("Salesforce", format!("00D{}!AQ{}", random.text(ALNUM, 12), random.text(ALNUM, 90)));
    push("Braintree", format!("access_token$production${}${}", random.text(LOWER, 16), random.text(HEX, 32)));
    push(
        "Harness",
        format!("pat.{}.{}.{}", random.text(DASH, 22), random.text(ALNUM, 24), random.text(ALNUM, 20)),
    );
    push(
        "Discord hook",
        format!("https://discord.com/api/v10/webhooks/{}/{}", random.text(DIGITS, 18), random.text(DASH, 68)),
    );
    rows
}

/// Every punctuation mark and low line as JSON may write it.
fn escaped(text: &str) -> String {
    let one =
        |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    text.chars().map(one).collect()
}

fn more_places(token: &str) -> Vec<(&'static str, String)> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    vec![
        ("alone", token.to_owned()),
        ("command", format!("X={token} make")),
        ("JSON", format!("{{\"a\": {}}}", quoted(token))),
        ("JSON in JSON in JSON", quoted(&quoted(&format!("{{\"a\": {}}}", quoted(token))))),
        ("unicode escapes", format!("{{\"a\": \"{}\"}}", escaped(token))),
        ("escaped slashes", format!("{{\"a\": \"{}\"}}", token.replace('/', "\\/"))),
        ("HTML", format!("value=&quot;{token}&quot;")),
        ("address", format!("https://h/p?x={token}&y=1")),
        ("percent", format!("https://h/?x={}", percent(token))),
        ("header", format!("curl -H 'X-Api-Key: {token}' h")),
        ("sentence", format!("I used {token}, and it failed.")),
        ("new line", format!("one\n{token}\ntwo")),
        ("continued line", format!("curl \\\n  {token} \\\n  x")),
    ]
}

#[test]
fn no_token_of_the_public_rules_remains() {
    let redactor = Redactor::default();
    let tokens = more_tokens();
    assert!(tokens.len() >= 60, "{}", tokens.len());
    let mut left = Vec::new();
    for (kind, token) in &tokens {
        for (place, text) in more_places(token) {
            let clean = redactor.text(&text).unwrap_or_else(|| text.clone());
            if [token.clone(), percent(token), escaped(token)].iter().any(|secret| remains(&clean, secret)) {
                left.push(format!("{kind}, {place}: {clean}"));
            }
            if !redactor.suspects(serde_json::json!({ "x": text }).to_string().as_bytes()) {
                left.push(format!("{kind}, {place}: not suspected"));
            }
        }
    }
    assert!(left.is_empty(), "{} remain:\n{}", left.len(), left.join("\n"));
}
