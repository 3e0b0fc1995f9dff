import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import os
if sys.version_info < (3, 8):
    sys.exit("this is Python %d.%d, and hooks need 3.8 or later" % sys.version_info[:2])
def take(size):
    got = b""
    while len(got) < size:
        more = os.read(0, size - len(got))
        if not more:
            os._exit(0)
        got += more
    return got
sources = [take(int.from_bytes(take(4), "big")) for _ in range(6)]
names = {"__name__": "tenter worker", "SOURCES": sources}
for source in sources[:3]:
    exec(compile(source, "<tenter worker>", "exec"), names)
