"""Makes the two sets of documents: the first sentence of a documentation comment asks for the rest of it.

    python3 scripts/evaluation/documents.py FOLDER

`documents-rust.tsv` comes from the sources of the crates in Cargo.lock, which every build has downloaded, and
`documents-python.tsv` from Python's own library. Nothing of either is committed here, and the embedding model was not
trained on them (`scripts/embedding/corpus.py` leaves these crates out).
"""

import ast
import hashlib
import os
import pathlib
import re
import sys
import sysconfig

ROOT = pathlib.Path(__file__).parents[2]
MOST = 2000


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, comments in (("rust", rust_comments()), ("python", python_comments())):
        pairs = {first: rest for first, rest in (split(text) for text in comments) if first}
        # The smallest hashes: a choice that does not depend on the order of files, and hardly on versions.
        chosen = sorted(pairs.items(), key=lambda pair: hashlib.sha256(pair[0].encode()).digest())[:MOST]
        (folder / f"documents-{name}.tsv").write_text("".join(f"document\t{rest}\t{first}\n" for first, rest in chosen))
        print(f"documents-{name}: {len(chosen)} of {len(pairs)}", file=sys.stderr)


def rust_comments():
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    locked = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource', (ROOT / "Cargo.lock").read_text())
    for name, version in sorted(locked):
        for source in sorted(home.glob(f"registry/src/*/{name}-{version}/src/**/*.rs")):
            comment = []
            for line in source.read_text(errors="replace").splitlines():
                line = line.strip()
                if line.startswith("///"):
                    comment.append(line[3:].removeprefix(" "))
                elif comment:
                    yield "\n".join(comment)
                    comment = []


def python_comments():
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    for source in sorted(library.rglob("*.py")):
        if {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(source.parts):
            continue
        try:
            tree = ast.parse(source.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Module)):
                text = ast.get_docstring(node)
                if text:
                    yield text


def split(text):
    """The first paragraph and the prose of the others, or nothing when either says too little."""
    text = re.sub(r"```.*?(```|\Z)", "\n\n", text, flags=re.S)
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    paragraphs = [part for part in paragraphs if part and not part.startswith(("#", ">>>", "|", "["))]
    if len(paragraphs) < 2:
        return None, None
    first, rest = paragraphs[0], " ".join(paragraphs[1:])[:600]
    if not (4 <= len(first.split()) <= 40 and len(rest.split()) >= 8):
        return None, None
    return first.replace("\t", " "), rest.replace("\t", " ")


if __name__ == "__main__":
    main()
