# Where modules come from: those that tenter brings along, and those of a folder in which only source counts.
#
# The first of three files that make up the worker. They are run one after another with the same names, so that one
# process needs no files of ours on its disk; `worker.py` is the last.

import sys


class Ours:
    """Finds `tenter`, and before giving up the modules that hooks of other systems import."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=name in PACKAGES)

    def create_module(self, spec):
        return None

    def exec_module(self, made):
        name = made.__name__
        if name in OWN:
            exec(compile(SOURCES[OWN[name]], "<%s>" % name, "exec"), made.__dict__)
        else:
            module("tenter.origins").fill(name, made)


# Their places among the sources.
OWN = {"tenter": 4, "tenter.origins": 5}
PACKAGES = ("tenter", "amplifier_core", "massgen", "massgen.mcp_tools")
STAND_INS = (
    "amplifier_core",
    "amplifier_core.events",
    "amplifier_core.hooks",
    "amplifier_core.models",
    "massgen",
    "massgen.mcp_tools",
    "massgen.mcp_tools.hooks",
)


def module(name):
    if name not in sys.modules:
        __import__(name)
    return sys.modules[name]


def only_source(folder):
    """Ignores compiled files below this folder: trust in a project covers only its source."""
    from importlib.machinery import FileFinder, SourceFileLoader

    class Source(SourceFileLoader):
        def get_code(self, fullname):
            path = self.get_filename(fullname)
            return self.source_to_code(self.get_data(path), path)

    usual = FileFinder.path_hook((Source, [".py"]))

    def hook(path):
        if (path + "/").startswith(folder + "/"):
            return usual(path)
        raise ImportError

    sys.path_hooks.insert(0, hook)
    for path in [path for path in sys.path_importer_cache if (path + "/").startswith(folder + "/")]:
        del sys.path_importer_cache[path]
