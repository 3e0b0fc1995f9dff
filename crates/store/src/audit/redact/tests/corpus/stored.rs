//! Secrets without a form of their own: the text around them decides.

use super::{ALNUM, BASE64, HEX, Random, Redactor, base64, remains};

/// Rows with `@` where the secret is.
const ROWS: &[&str] = &[
    "curl -H 'Fastly-Key: @' h",
    "curl -H 'X-Api-Key: @' h",
    "curl -H 'PRIVATE-TOKEN: @' h",
    "curl --header=Authorization:Bearer\\ @",
    "curl -sSu me:@ h",
    "curl -H 'Cookie: a=b; sessionid=@' h",
    "requests.get(u, auth=('me', '@'))",
    "requests.get(u, auth=(\"me\", \"@\"))",
    "redis-cli -h h -a@",
    "REDISCLI_AUTH=@ redis-cli",
    "SSHPASS=@ sshpass -e ssh h",
    "PASS=@ ./run",
    "pass=@",
    "psk=\"@\"",
    "_gitlab_session=@",
    "PresharedKey = @",
    "SECRET_KEY_BASE=@",
    "echo @ | sudo -S ls",
    "echo \"@\" | docker login -u me --password-stdin",
    "printf '%s' '@' | gh auth login --with-token",
    "echo \"me:@\" | chpasswd",
    "gh auth login --with-token <<< @",
    "wrangler secret put X <<< \"@\"",
    "pass insert -e x <<< @",
    "gh secret set X --body \"@\"",
    "kubectl create secret generic s --from-literal=whatever=@",
    "vault kv put secret/x value=@",
    "vault write auth/approle/login role_id=r secret_id=@",
    "flyctl secrets set ANYTHING=@",
    "heroku config:set ANYTHING=@",
    "security add-generic-password -a a -s s -w @",
    "smbclient -U u%@ //h/s",
    "lftp -u u,@ h",
    "rdesktop -u u -p @ h",
    "useradd -p @ u",
    "machine h password @ login u",
    "nmcli dev wifi connect x password @",
    "SET PASSWORD FOR u = '@'",
    "IDENTIFIED WITH mysql_native_password BY '@'",
    "GRANT ALL ON x TO u IDENTIFIED BY \"@\"",
    "<add key=\"ClearTextPassword\" value=\"@\" />",
    "tool --pw @",
    "netlify deploy --auth @",
    "setx API_KEY @",
    "ENV API_KEY @",
    "set -x API_KEY @",
    "npm config set //r/:_authToken @",
    "os.getenv(\"API_KEY\", \"@\")",
    "process.env.TOKEN || \"@\"",
    "my password is \"@\"",
    "the token is @",
    "TOKEN=$'@'",
    "Bearer\n@",
    "Authorization: Bearer \\\n @",
    "API_KEY=\\\n@",
    "tool --password \\\n @",
    "\"token\":\n  \"@\"",
    "token:\n  @",
    "token: >-\n  @",
    "token: |\n  @",
    "\\u0022password\\u0022:\\u0022@\\u0022",
    "password&quot;:&quot;@&quot;",
    "https:\\/\\/hooks.slack.com\\/services\\/T0123ABCD\\/B0123ABCD\\/@",
    "https:\\/\\/u:@@h\\/x",
    "kind: Secret\ndata:\n  anything: @\n",
    "stringData:\n  anything: @\nkind: Secret\n",
];

#[test]
fn secrets_are_found_by_their_context() {
    let redactor = Redactor::default();
    let mut random = Random(0x0bad_cafe_0000_0003);
    let mut left = Vec::new();
    let mut check = |text: String, secret: &str| {
        let clean = redactor.text(&text).unwrap_or_else(|| text.clone());
        if remains(&clean, secret) {
            left.push(format!("{text:?}"));
        }
        if !redactor.suspects(serde_json::json!({ "x": text }).to_string().as_bytes()) {
            left.push(format!("not suspected: {text:?}"));
        }
    };
    for row in ROWS {
        let secret = random.text(ALNUM, 24);
        check(row.replacen('@', &secret, 1), &secret);
    }
    let (line, hex) = (random.text(BASE64, 64), random.text(HEX, 40));
    check(format!("{line}\n{line}\n-----END RSA PRIVATE KEY-----"), &line);
    check(format!("Private-Lines: 2\n{line}\n{line}\nPrivate-MAC: 00"), &line);
    check(format!("git clone https://{hex}@github.com/x/y"), &hex);
    let pair = base64(&format!("u:{}", random.text(ALNUM, 24)));
    check(format!("kind: Secret\ndata:\n  x: {pair}\n"), &pair);
    assert!(left.is_empty(), "{} remain:\n{}", left.len(), left.join("\n"));
}

#[test]
fn texts_around_no_secret_stay_whole() {
    let redactor = Redactor::default();
    let mut random = Random(0x0bad_cafe_0000_0004);
    let (sha1, sha256) = (random.text(HEX, 40), random.text(HEX, 64));
    let uuid = "0b1c2d3e-1111-4222-8333-123456789abc";
    let image = random.text(BASE64, 60_000);
    for text in [
        format!("data:image/png;base64,{image}"),
        format!("{{\"image\": \"{image}\"}}"),
        format!("session_id={uuid} session={uuid}"),
        format!("tool_use_id: toolu_{}", random.text(ALNUM, 24)),
        format!("call_{} msg_{}", random.text(ALNUM, 24), random.text(ALNUM, 24)),
        format!("git show {sha1} | cat; git log --format=%H"),
        format!("git push origin {sha1}:refs/heads/main && git reset --hard {sha256}"),
        format!("resolved \"https://registry.yarnpkg.com/x/-/x-1.0.0.tgz#{sha1}\""),
        format!("  integrity sha512-{}==", random.text(BASE64, 86)),
        format!("x v1.2.3 h1:{}=", random.text(BASE64, 43)),
        format!("--hash=sha256:{sha256}"),
        format!("docker pull ghcr.io/x/y@sha256:{sha256}"),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{} me@h", random.text(ALNUM, 43)),
        format!("ssh_host_key: AAAAC3NzaC1lZDI1NTE5AAAA{}", random.text(ALNUM, 43)),
        format!("\"cache_key\": \"v1-{}\"", random.text(ALNUM, 24)),
        format!("cp /nix/store/{}-bash-5.2/bin/bash .", random.text("abcdfghijklmnpqrsvwxyz0123456789", 32)),
        "/home/me/.cache/tenter/a1B2c3D4e5F6a7B8c9D0/target/debug/deps/x-0f1e2d3c4b5a6978".to_owned(),
        "cargo test -- --test-threads=1; ls -S; sort -S 1G; sudo -u me ls".to_owned(),
        "echo done | sudo -u postgres psql; echo ok | tee passwd".to_owned(),
        "cat <<EOF > x\nhello\nEOF".to_owned(),
        "token_or_key(text, at).or_else(|| password(rest))".to_owned(),
        "the token is required, and the key is the name of the column".to_owned(),
        "if (a || b) { key | value }".to_owned(),
        "pass=12 fail=3; bypass=true; compass: north".to_owned(),
        "kubectl create secret generic s --from-file=tls.crt=/path/tls.crt --namespace=production".to_owned(),
        "vault kv put secret/x @data.json; gh secret set X < file".to_owned(),
        "kubectl get secret x -o jsonpath='{.data.password}'".to_owned(),
        "key: value\npublic_key: abc\nprimary_key: id\nsort_key: created_at".to_owned(),
        "foreign_key: users_id_2026, idempotency_key: retry-1".to_owned(),
        "re_exported_items_of_the_module, pa-rt, sl.ice, fw_rules, cio_handle".to_owned(),
        "api-gateway-2026-11-18, sdk-version-1.2.3, live_reload_of_the_page_2026".to_owned(),
        "C:\\users\\me\\x.txt \\\\server\\share \\u00e9".to_owned(),
        "a &amp; b &quot;quoted&quot; &#39;text&#39;".to_owned(),
        "git diff | grep -n 'token:' \\\n  | head".to_owned(),
        "token:\n  kind: string\n  required: true".to_owned(),
        "password:\n  type: string\nsecret: |\n  explain what it is".to_owned(),
    ] {
        assert_eq!(redactor.text(&text), None, "{text}");
    }
}
