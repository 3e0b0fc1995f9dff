//! Normalizes text by its look, to compare it with headings of tenter, names of speakers and tags. This form is
//! never shown.
//!
//! | in the text | in this form |
//! |---|---|
//! | a letter in any case and dress: full width, mathematical, circled, accented, small capital | the small Latin letter |
//! | a letter of another alphabet that looks like a Latin one | that letter |
//! | any other letter | any letter at all, in a word of which at least half are known |
//! | digits of all kinds | `0` |
//! | brackets, colons, quotation marks of programs | `(` and `)`, `:`, `"` |
//! | hyphens and low lines | `-` if one is expected, else nothing |
//! | blanks, emphasis, marks of lists and quotations, everything else | nothing |
//!
//! Because of the third row, [`lookalike`] can be short: it needs only the letters from which whole words can be
//! written.

/// Matches any letter.
const ANY: char = '?';

/// A character in this form; `None` if it does not count.
pub(crate) fn sign(c: char) -> Option<char> {
    match c {
        'a'..='z' | ':' => Some(c),
        'A'..='Z' => Some(c.to_ascii_lowercase()),
        '0'..='9' => Some('0'),
        '(' | '[' | '{' => Some('('),
        ')' | ']' | '}' => Some(')'),
        '"' | '\'' => Some('"'),
        '\0'..='\u{7f}' => None,
        _ => unusual(c),
    }
}

fn unusual(c: char) -> Option<char> {
    match c {
        // Armenian, Hebrew, raised, ratio, modifier, and the forms of compatibility.
        '\u{2d0}' | '\u{589}' | '\u{5c3}' | '\u{2236}' | '\u{a789}' | '\u{fe13}' | '\u{fe30}'
        | '\u{fe55}' | '\u{ff1a}' => Some(':'),
        '（' | '［' | '｛' | '﹙' | '﹛' | '﹝' | '⁽' | '₍' | '❨' | '❲' | '❴' | '⟦' | '⟮' | '【' | '〔'
        | '〖' | '〘' | '「' | '『' => Some('('),
        '）' | '］' | '｝' | '﹚' | '﹜' | '﹞' | '⁾' | '₎' | '❩' | '❳' | '❵' | '⟧' | '⟯' | '】' | '〕'
        | '〗' | '〙' | '」' | '』' => Some(')'),
        _ => letter(c).or_else(|| c.is_numeric().then_some('0')),
    }
}

fn letter(c: char) -> Option<char> {
    if let Some(styled) = styled(c) {
        return Some(styled);
    }
    if !c.is_alphabetic() {
        return None;
    }
    let small = c.to_lowercase().next().unwrap_or(c);
    Some(lookalike(small).unwrap_or(ANY))
}

/// Letters of the alphabets that Unicode has over and over again, in order.
fn styled(c: char) -> Option<char> {
    let (first, last) = match c {
        '\u{249c}'..='\u{24b5}' => ('\u{249c}', '\u{24b5}'),
        '\u{24b6}'..='\u{24e9}' => ('\u{24b6}', '\u{24e9}'),
        '\u{ff21}'..='\u{ff3a}' => ('\u{ff21}', '\u{ff3a}'),
        '\u{ff41}'..='\u{ff5a}' => ('\u{ff41}', '\u{ff5a}'),
        // Thirteen mathematical alphabets of both cases.
        '\u{1d400}'..='\u{1d6a3}' => ('\u{1d400}', '\u{1d6a3}'),
        '\u{1f110}'..='\u{1f129}' => ('\u{1f110}', '\u{1f129}'),
        '\u{1f130}'..='\u{1f149}' => ('\u{1f130}', '\u{1f149}'),
        '\u{1f150}'..='\u{1f169}' => ('\u{1f150}', '\u{1f169}'),
        '\u{1f170}'..='\u{1f189}' => ('\u{1f170}', '\u{1f189}'),
        '\u{1f1e6}'..='\u{1f1ff}' => ('\u{1f1e6}', '\u{1f1ff}'),
        _ => return None,
    };
    debug_assert!((u32::from(last) - u32::from(first) + 1).is_multiple_of(26), "whole alphabets");
    char::from_digit((u32::from(c) - u32::from(first)) % 26 + 10, 36)
}

/// The Latin letter that a small letter looks like, or that its capital does: with accents, of other alphabets,
/// small capitals, and mathematical letters outside of the alphabets.
fn lookalike(small: char) -> Option<char> {
    Some(match small {
        'а' | 'α' | 'ɑ' | 'ᴀ' | 'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'ǎ' => {
            'a'
        }
        'в' | 'ь' | 'β' | 'ʙ' | 'ƀ' | 'ɓ' => 'b',
        'с' | 'ϲ' | 'ᴄ' | 'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' | 'ⅽ' => 'c',
        'ԁ' | 'ᴅ' | 'ď' | 'đ' | 'ð' | 'ɗ' | 'ⅾ' | 'ⅆ' => 'd',
        'е' | 'є' | 'ε' | 'ᴇ' | 'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ё' | 'ə' | 'ℯ'
        | 'ⅇ' => 'e',
        'ғ' | 'ꜰ' | 'ƒ' | 'ẝ' => 'f',
        'ɡ' | 'ԍ' | 'ɢ' | 'ĝ' | 'ğ' | 'ġ' | 'ģ' | 'ǧ' | 'ℊ' => 'g',
        'һ' | 'н' | 'η' | 'ʜ' | 'ĥ' | 'ħ' | 'ℎ' | 'ℏ' => 'h',
        'і' | 'ι' | 'ɪ' | 'ı' | 'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ї' | 'ⅰ' | 'ⅈ' => {
            'i'
        }
        'ј' | 'ᴊ' | 'ĵ' | 'ⅉ' => 'j',
        'к' | 'κ' | 'ᴋ' | 'ķ' | 'ĸ' | 'ҝ' => 'k',
        'ӏ' | 'ʟ' | 'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' | 'ⅼ' | 'ℓ' => 'l',
        'м' | 'μ' | 'ᴍ' | 'ⅿ' => 'm',
        'п' | 'ո' | 'ɴ' | 'ñ' | 'ń' | 'ņ' | 'ň' | 'ŋ' => 'n',
        'о' | 'ο' | 'օ' | 'ᴏ' | 'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'σ' | 'ⲟ' | 'ℴ' => {
            'o'
        }
        'р' | 'ρ' | 'ᴘ' => 'p',
        'ԛ' => 'q',
        'г' | 'ʀ' | 'ŕ' | 'ŗ' | 'ř' => 'r',
        'ѕ' | 'ꜱ' | 'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ſ' => 's',
        'т' | 'τ' | 'ᴛ' | 'ţ' | 'ť' | 'ŧ' | 'ț' => 't',
        'υ' | 'ս' | 'ᴜ' | 'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ѵ' | 'ᴠ' | 'ν' | 'ⅴ' => 'v',
        'ԝ' | 'ᴡ' | 'ŵ' | 'ω' => 'w',
        'х' | 'χ' | 'ⅹ' => 'x',
        'у' | 'ү' | 'ʏ' | 'ý' | 'ÿ' | 'ŷ' | 'γ' => 'y',
        'ᴢ' | 'ź' | 'ż' | 'ž' | 'ζ' => 'z',
        _ => return None,
    })
}

/// The text after these words, if the text begins like them. `words` are in the form of [`sign`], without blanks; a
/// hyphen in them must be there.
pub(crate) fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    let (mut known, mut unknown) = (0, 0);
    for wanted in words.chars() {
        let found = loop {
            let c = rest.next()?;
            match sign(c) {
                Some(found) => break found,
                None if wanted == '-' && is_hyphen(c) => break '-',
                None => {}
            }
        };
        match found {
            ANY if wanted.is_ascii_lowercase() => unknown += 1,
            _ if found == wanted => known += 1,
            _ => return None,
        }
    }
    (known >= unknown).then_some(rest.as_str())
}

/// The text after a number, if the text begins with one.
pub(crate) fn after_number(text: &str) -> Option<&str> {
    let mut rest = after(text, "0")?;
    while let Some(more) = after(rest, "0") {
        rest = more;
    }
    Some(rest)
}

/// The first character that counts, in this form.
pub(crate) fn first_sign(text: &str) -> Option<char> {
    text.chars().find_map(sign)
}

/// Hyphens, dashes and low lines, as names of tags have them.
pub(crate) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{203f}' | '\u{fe4d}'..='\u{fe4f}'
        | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ff3f}')
}

/// A line from its first letter or digit on, without the marks and labels of lists, quotations and headings before it.
pub(crate) fn without_marks(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(|c| !is_of_word(c));
        // `1.`, `12)`, `iv.`, `[a]`: a label before a heading.
        match rest.char_indices().take(4).find(|(_, c)| !is_of_word(*c)) {
            Some((end, '.' | ')' | ']')) => rest = &rest[end..],
            Some(_) | None => return rest,
        }
    }
}

/// Letters and digits.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || styled(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> String {
        text.chars().filter_map(sign).collect()
    }

    #[test]
    fn styled_letters_are_recognised() {
        for text in [
            "Hook feedback:",
            "HOOK\u{a0}\u{3000} feed-back ：",
            "Ｈｏｏｋ ｆｅｅｄｂａｃｋ：",
            "Нооk fееdbасk:",
            "𝐇𝐨𝐨𝐤 𝓯𝓮𝓮𝓭𝓫𝓪𝓬𝓴:",
            "ⓗⓞⓞⓚ 🅵🅴🅴🅳🅱🅰🅲🅺 ∶",
            "🇭 🇴 🇴 🇰 ғᴇᴇᴅʙᴀᴄᴋ:",
            "*Höôk* `fëëdbàçķ`:",
            "H\u{332}o\u{332}o\u{332}k\u{332} feedback:",
        ] {
            assert_eq!(form(text), "hookfeedback:", "{text}");
        }
    }

    #[test]
    fn unknown_letter_matches_any_letter() {
        assert_eq!(after("Ꮋook!", "hook"), Some("!"));
        assert_eq!(after("Ꮋooĸ!", "hook"), Some("!"));
        assert_eq!(after("ᎻᏎᏎᏦ", "hook"), None);
        assert_eq!(after("日本語版", "user"), None);
    }

    #[test]
    fn hyphen_counts_where_expected() {
        assert_eq!(after("tool_use>", "tool-use"), Some(">"));
        assert_eq!(after("ToolUse>", "tool-use"), None);
        assert_eq!(after("tool–use>", "tooluse"), Some(">"));
    }

    #[test]
    fn marks_and_labels_are_removed() {
        for line in
            ["- x y", "  * x y", "1. x y", "12) x y", "(a) x y", ">> | 3. - x y", "### “x y", "• iv) x y"]
        {
            assert_eq!(without_marks(line), "x y", "{line}");
        }
        for line in ["2026-11-16 x", "x.y", "… [12 of", ""] {
            let rest = without_marks(line);
            assert!(line.ends_with(rest) && rest.len() + 5 >= line.len(), "{line}: {rest}");
        }
    }
}
