# Answers requests to call hooks: one at a time, until nobody is left to ask.
#
# It gets its requests over a socket of its own. Descriptors 1 and 2 belong to the hook: for each call they are
# pipes that came with the request, and between two calls they lead nowhere. So nothing that a hook prints can
# be taken for an answer.
#
# request:  three lengths, then fields (texts that end in NUL), variables (likewise), the event as JSON
# answer:   kind, `.` or `E` (I end now), a number, how many processes were ended, a length, a text
#
#   kind r  the hook returned: the text is its reply      kind n  it returned nothing
#   kind x  it exited with the number                     kind c  it raised
#   kind g  what it returned is no reply                  kind m  it cannot be called
#   kind s  its files have changed: ask another
#
# What is imported here is paid for by every first call, so that is as little as possible.

import json
import os
import sys

import _socket

# Received descriptors are not inherited by what other threads start.
PRIVATE = getattr(_socket, "MSG_CMSG_CLOEXEC", 0)
FUNCTION, FOLDER, CWD, SECONDS, DETACHED, FROM_SOURCE = range(6)
# Says that Python has started; what fails after it is the hook's failure.
GREETING = b"k"


class Missing(Exception):
    """A hook that cannot be called."""


class Garbled(Exception):
    """A result that is no reply."""


class Worker:
    def __init__(self):
        self.me = os.getpid()
        self.targets = {}
        self.files = {}
        self.seen = set(sys.modules)
        self.standard = os.path.dirname(os.__file__) + os.sep
        self.nowhere = os.open(os.devnull, os.O_RDWR)
        self.tell = None

    # Where calls come from.

    def serve(self, connection, only_one):
        """Answers one request or all of them; whether we may go on."""
        while True:
            request = self.receive(connection)
            if request is None:
                return True
            answer = self.handle(*request)
            try:
                connection.sendall(answer)
            except OSError:
                return False
            if answer[1:2] == b"E":
                return False
            if only_one:
                return True

    def receive(self, connection):
        head, fds = b"", []
        try:
            while len(head) < 12:
                data, more = self.receive_some(connection, 12 - len(head))
                fds += more
                if not data:
                    return None
                head += data
            sizes = [int.from_bytes(head[at : at + 4], "big") for at in (0, 4, 8)]
            body, total = bytearray(), sum(sizes)
            while len(body) < total:
                data = connection.recv(min(total - len(body), 1 << 20))
                if not data:
                    return None
                body += data
        except OSError:
            return None
        ends = (sizes[0], sizes[0] + sizes[1])
        fields = [os.fsdecode(field) for field in bytes(body[: ends[0]]).split(b"\0")]
        return fields, bytes(body[ends[0] : ends[1]]), bytes(body[ends[1] :]), fds

    def receive_some(self, connection, size):
        data, ancillary, _, _ = connection.recvmsg(size, _socket.CMSG_SPACE(8), PRIVATE)
        fds = []
        for level, kind, bytes_ in ancillary:
            if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
                whole = len(bytes_) - len(bytes_) % 4
                fds += [int.from_bytes(bytes_[at : at + 4], sys.byteorder) for at in range(0, whole, 4)]
        return data, fds

    # One call.

    def handle(self, fields, variables, event, fds):
        if self.changed():
            for fd in fds:
                os.close(fd)
            return encode(b"s", b"E", 0, 0, "")
        self.listen(fds)
        if self.tell:
            self.tell(float(fields[SECONDS]))
        kind, ends, number, text = b"c", b".", 1, ""
        try:
            self.settle(fields, variables)
            kind, number, text = self.call(fields, event)
        except Missing as problem:
            kind, ends, text = b"m", b"E", str(problem)
        except Garbled as problem:
            kind, text = b"g", str(problem)
        except SystemExit as problem:
            kind, number = b"x", self.exit_code(problem)
        except ImportError as problem:
            self.show(problem)
            kind, text = b"m", one_line(problem)
        except BaseException as problem:
            self.show(problem)
            text = one_line(problem)
        if os.getpid() != self.me:
            # A hook has forked and the copy came back here: the answer is not its business.
            os._exit(0)
        ended = 0 if fields[DETACHED] else self.end_children()
        self.remember()
        self.listen([self.nowhere, self.nowhere], keep=True)
        if self.tell:
            self.tell(0)
        return encode(kind, ends, number, ended, text)

    def listen(self, fds, keep=False):
        """Leads what is printed to these descriptors."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        os.dup2(self.nowhere, 0)
        for at, fd in enumerate(fds[:2], 1):
            os.dup2(fd, at)
        if not keep:
            for fd in fds:
                os.close(fd)
            # New ones, because the last hook may have closed them.
            sys.stdin = open(0, closefd=False)
            sys.stdout = sys.__stdout__ = stream_to(1)
            sys.stderr = sys.__stderr__ = stream_to(2)

    def settle(self, fields, variables):
        """Variables, folder and module path, as this call has them."""
        wanted = dict(pair.split(b"=", 1) for pair in variables.split(b"\0") if b"=" in pair)
        if dict(os.environb) != wanted:
            os.environb.clear()
            os.environb.update(wanted)
        try:
            os.chdir(fields[CWD])
        except OSError as problem:
            raise Missing("its folder cannot be entered: %s" % problem)
        sys.argv = [fields[FUNCTION]]
        folder = fields[FOLDER]
        if folder and folder not in sys.path[:1]:
            sys.path.insert(0, folder)
            if fields[FROM_SOURCE]:
                only_source(folder)

    def call(self, fields, event):
        target = self.targets.get(fields[FUNCTION])
        if target is None:
            target = self.targets[fields[FUNCTION]] = self.find(fields[FUNCTION])
            self.remember()
        event = module("tenter").HookEvent(json.loads(event))
        wanted = parameters(target)
        if wanted == 1:
            result = target(event)
        elif wanted == 2:
            result = target(event["event"], module("tenter.origins").data_of(event))
        elif wanted == 0:
            result = target()
        else:
            raise Missing(
                "`%s` has %d parameters; one is given the event, two its name and its data"
                % (fields[FUNCTION], wanted)
            )
        if hasattr(result, "__await__"):
            result = awaited(result)
        if result is None:
            return b"n", 0, ""
        return b"r", 0, result if isinstance(result, str) else as_json(result, event)

    def find(self, name):
        """What a hook file calls `package.module.function`; functions may stand in classes."""
        parts = name.split(".")
        first_problem = None
        for count in range(len(parts) - 1, 0, -1):
            path = ".".join(parts[:count])
            try:
                __import__(path)
            except ModuleNotFoundError as problem:
                lacks_itself = problem.name and (path + ".").startswith(problem.name + ".")
                first_problem = first_problem or problem
                if lacks_itself and count > 1:
                    continue
                self.missing_module(first_problem if lacks_itself else problem, path)
            except BaseException as problem:
                self.missing_module(problem, path)
            return self.within(sys.modules[path], path, parts[count:])

    def missing_module(self, problem, path):
        if not isinstance(problem, ModuleNotFoundError):
            self.show(problem)
        raise Missing("`%s` cannot be imported: %s" % (path, one_line(problem))) from None

    def within(self, found, path, names):
        for name in names:
            owner, path = found, path + "." + name
            try:
                found = getattr(owner, name)
            except AttributeError:
                known = [known for known in dir(owner) if not known.startswith("_")]
                import difflib

                near = difflib.get_close_matches(name, known, 1)
                hint = "; did you mean `%s`?" % near[0] if near else ""
                raise Missing("there is no `%s`%s" % (path, hint)) from None
            if isinstance(owner, type) and isinstance(owner.__dict__.get(name), type(one_line)):
                found = getattr(self.made(owner), name)
        if isinstance(found, type):
            found = self.made(found)
        if not callable(found):
            raise Missing("`%s` is not callable" % path)
        return found

    def made(self, kind):
        """The one object of a class that hooks of this process share."""
        if kind not in self.targets:
            try:
                self.targets[kind] = kind()
            except BaseException as problem:
                self.show(problem)
                raise Missing(
                    "`%s` cannot be made without arguments: %s" % (kind.__qualname__, one_line(problem))
                ) from None
        return self.targets[kind]

    # What a call leaves behind.

    def exit_code(self, problem):
        if problem.code is None:
            return 0
        if isinstance(problem.code, int):
            return problem.code & 0xFF
        print(problem.code, file=sys.stderr)
        return 1

    def show(self, problem):
        """The traceback, without our own part of it."""
        try:
            import traceback

            steps = problem.__traceback__
            while steps is not None and steps.tb_frame.f_code.co_filename == "<tenter worker>":
                steps = steps.tb_next
            traceback.print_exception(type(problem), problem, steps, file=sys.stderr)
        except BaseException:
            pass

    def end_children(self):
        """Ends the processes that a hook has left running; how many they were."""
        ended = set()
        for _ in range(1000):
            try:
                if os.waitpid(-1, os.WNOHANG)[0]:
                    continue
            except ChildProcessError:
                break
            for pid in children():
                try:
                    os.kill(pid, 9)
                    os.waitpid(pid, 0)
                except OSError:
                    pass
                ended.add(pid)
            if not ended:
                break
        return len(ended)

    def remember(self):
        """What the files of modules look like that hooks have brought in."""
        modules = sys.modules
        if len(modules) == len(self.seen):
            return
        for name in [name for name in list(modules) if name not in self.seen]:
            self.seen.add(name)
            file = getattr(modules.get(name), "__file__", None)
            if not isinstance(file, str):
                continue
            in_standard = file.startswith(self.standard) and "-packages" not in file
            if not in_standard:
                self.files[file] = self.stamp(file)

    def changed(self):
        return any(self.stamp(file) != stamp for file, stamp in self.files.items())

    def stamp(self, file):
        try:
            found = os.stat(file)
            return found.st_mtime_ns, found.st_size, found.st_ino
        except OSError:
            return None

    def end(self):
        """Lets exit functions run, but waits for no thread and tidies no memory up."""
        try:
            import atexit

            atexit._run_exitfuncs()
        finally:
            os._exit(0)


def encode(kind, ends, number, ended, text):
    text = text.encode("utf-8", "replace")
    numbers = (number.to_bytes(4, "big"), ended.to_bytes(4, "big"), len(text).to_bytes(4, "big"))
    return kind + ends + b"".join(numbers) + text


def stream_to(fd):
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def one_line(problem):
    try:
        text = " ".join(str(problem).split())[:300]
    except Exception:
        text = ""
    name = type(problem).__name__
    return "%s: %s" % (name, text) if text else name


def parameters(target):
    """How many values a function wants to be called with."""
    function, bound = target, 0
    if hasattr(function, "__func__"):
        function, bound = function.__func__, 1
    elif not hasattr(function, "__code__"):
        function, bound = type(target).__call__, 1
    if hasattr(function, "__code__") and not hasattr(function, "__wrapped__"):
        most = function.__code__.co_argcount - bound
        least = most - len(function.__defaults__ or ())
        any_number = bool(function.__code__.co_flags & 0x04)
    else:
        import inspect

        try:
            found = inspect.signature(target).parameters.values()
        except (TypeError, ValueError):
            return 1
        places = [one for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        most, least = len(places), len([one for one in places if one.default is one.empty])
        any_number = any(one.kind == one.VAR_POSITIONAL for one in found)
    return least if least > 0 else min(max(most, any_number), 1)


def awaited(result):
    import asyncio

    async def wait():
        return await result

    return asyncio.run(wait())


def as_json(result, event):
    """A dict, a dataclass, a pydantic model or a `HookResult` in our form."""
    fields = fields_of(result)
    if fields is None:
        kind = type(result).__qualname__
        raise Garbled("it returned a value of type `%s`; return a dict, a HookResult, a text or None" % kind)
    foreign = ("action", "allowed", "updated_input", "modified_args", "context_injection", "user_message")
    if any(name in fields for name in foreign) or fields.get("decision") in ("allow", "deny", "ask"):
        try:
            fields = module("tenter.origins").in_our_form(fields, event)
        except ValueError as problem:
            raise Garbled(str(problem)) from None
    try:
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, default=plain)
    except Exception as problem:
        raise Garbled("what it returned cannot be written as JSON: %s" % one_line(problem)) from None


def fields_of(result):
    if isinstance(result, dict):
        return result
    if hasattr(type(result), "__dataclass_fields__"):
        return {name: getattr(result, name, None) for name in type(result).__dataclass_fields__}
    for name in ("model_dump", "_asdict", "dict", "to_dict"):
        method = getattr(result, name, None)
        if callable(method) and not isinstance(result, type):
            fields = method()
            return fields if isinstance(fields, dict) else None
    return None


def plain(value):
    """What JSON has no word for."""
    fields = fields_of(value)
    if fields is not None:
        return fields
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    for name in ("isoformat", "__fspath__"):
        if hasattr(value, name):
            return getattr(value, name)()
    if hasattr(value, "value") and hasattr(type(value), "__members__"):
        return value.value
    raise TypeError("a value of type `%s`" % type(value).__qualname__)


def children():
    found = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open("/proc/self/task/%s/children" % task) as file:
                found += [int(pid) for pid in file.read().split()]
    except OSError:
        pass
    return found


# Modules that come from us.


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


OWN = {"tenter": 2, "tenter.origins": 3}
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
    """Below this folder nothing counts but source: compiled files in it were not looked at by whoever trusted it."""
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


def main():
    connection = _socket.socket(fileno=os.dup(0))
    os.set_inheritable(connection.fileno(), False)
    sys.meta_path.insert(0, Ours(tuple(OWN)))
    sys.meta_path.append(Ours(STAND_INS))
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    if len(sys.argv) > 1:
        names = {"__name__": "tenter keeper"}
        exec(compile(SOURCES[1], "<tenter keeper>", "exec"), names)
        names["keep"](connection, sys.argv[1:], Worker)
    worker = Worker()
    connection.sendall(GREETING)
    worker.serve(connection, only_one=False)
    worker.end()


main()
