"""Downloads the packages of `packages.lock` and checks that the model was trained on them.

    python3 fetch.py DATA            every package of packages.lock, checked against its SHA-256
    python3 fetch.py DATA --resolve  the newest versions of packages.txt, and writes packages.lock
"""

import concurrent.futures
import hashlib
import json
import pathlib
import sys
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).parent
LIST, LOCK = HERE / "packages.txt", HERE / "packages.lock"
# A larger package is mostly compiled code or data, not prose.
MOST_BYTES = 120_000_000


def main():
    data = pathlib.Path(sys.argv[1])
    data.mkdir(parents=True, exist_ok=True)
    resolve = "--resolve" in sys.argv
    wanted = [line.split() for line in (LIST if resolve else LOCK).read_text().splitlines() if line and line[0] != "#"]
    if resolve:
        wanted = [[kind, name] for kind, *names in wanted for name in names]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        got = [one for one in pool.map(lambda row: attempt(row, data), wanted) if one]
    print(f"{len(got)} of {len(wanted)} packages are in {data}")
    if resolve:
        LOCK.write_text("# Written by fetch.py --resolve: registry, name, version, SHA-256.\n" + "".join(sorted(f"{' '.join(one)}\n" for one in got)))
    elif len(got) < len(wanted):
        sys.exit("the corpus is not complete; run fetch.py again, or --resolve to take newer versions")


def attempt(row, data):
    for again in range(3):
        try:
            return bring(row, data)
        except Exception as problem:  # a registry that is busy; the third time it is the package
            if again == 2:
                print(f"{' '.join(row[:3])}: {problem}", file=sys.stderr)
            time.sleep(1 + again)
    return None


def bring(row, data):
    kind, name = row[:2]
    version, checksum = (row + [None, None])[2:4]
    if version is None:
        version, url = NEWEST[kind](name)
    else:
        url = PINNED[kind](name, version)
    place = data / f"{kind}-{name.replace('/', '+')}-{version}{suffix(url)}"
    if not place.exists():
        request = urllib.request.urlopen(url, timeout=120)
        if int(request.headers.get("Content-Length") or 0) > MOST_BYTES:
            raise ValueError("too large")
        content = request.read()
        part = place.with_suffix(".part")
        part.write_bytes(content)
        part.rename(place)
    found = hashlib.sha256(place.read_bytes()).hexdigest()
    if checksum and checksum != found:
        raise ValueError(f"is not the package that was pinned ({found})")
    return [kind, name, version, found]


def suffix(url):
    path = urllib.parse.urlparse(url).path
    return next((end for end in (".whl", ".zip", ".crate") if path.endswith(end)), ".tar.gz")


def read_json(url):
    return json.loads(urllib.request.urlopen(url, timeout=120).read())


def pypi(name, version=None):
    page = read_json(f"https://pypi.org/pypi/{name}/json" if version is None else f"https://pypi.org/pypi/{name}/{version}/json")
    files = page["urls"]
    # The source distribution contains the documents, the wheel only the docstrings.
    best = next((f for f in files if f["packagetype"] == "sdist"), files[0])
    # A mirror gives addresses relative to the page that lists a project's files.
    return page["info"]["version"], urllib.parse.urljoin(f"https://pypi.org/simple/{name}/", best["url"])


def crates(name):
    lower = name.lower()
    folder = {1: "1", 2: "2", 3: f"3/{lower[0]}"}.get(len(lower), f"{lower[:2]}/{lower[2:4]}")
    rows = urllib.request.urlopen(f"https://index.crates.io/{folder}/{lower}", timeout=120).read().decode().splitlines()
    rows = [json.loads(row) for row in rows]
    good = [row for row in rows if not row["yanked"] and "-" not in row["vers"]] or rows
    newest = max(good, key=lambda row: [int(part) if part.isdigit() else 0 for part in row["vers"].split("+")[0].split(".")])
    return newest["vers"], crate_url(name, newest["vers"])


def crate_url(name, version):
    return f"https://static.crates.io/crates/{name}/{name}-{version}.crate"


def npm(name):
    page = read_json(f"https://registry.npmjs.org/{urllib.parse.quote(name, safe='@')}/latest")
    return page["version"], page["dist"]["tarball"]


def npm_url(name, version):
    return f"https://registry.npmjs.org/{name}/-/{name.split('/')[-1]}-{version}.tgz"


NEWEST = {"pypi": pypi, "crate": crates, "npm": npm}
PINNED = {"pypi": lambda name, version: pypi(name, version)[1], "crate": crate_url, "npm": npm_url}

if __name__ == "__main__":
    main()
