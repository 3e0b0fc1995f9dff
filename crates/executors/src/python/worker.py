# Answers requests to call hooks: one at a time, until the link is closed.
#
# It gets its requests over a socket of its own. Descriptors 1 and 2 belong to the hook: for each call they are
# pipes that came with the request, and between two calls they lead nowhere. So nothing that a hook prints can
# be taken for an answer.
#
# request:  three lengths, then fields (texts that end in NUL), variables (likewise), the event as JSON
# answer:   kind, `.` or `E` (I end now), a number, how many processes were ended, a length, a text
#
#   kind r  the hook returned a text                      kind n  it returned nothing
#   kind j  the hook returned an object: the text is its reply in our form
#   kind x  it exited with the number                     kind c  it raised
#   kind g  what it returned is no reply: why, NUL, what it returned
#   kind m  it cannot be called
#   kind s  its files have changed: ask another
#
# What is imported here is paid for by every first call, so that is as little as possible. The last file of the
# worker: what `modules.py` and `results.py` define is known here.

import json
import os
import sys

import _socket

# Received descriptors are not inherited by what other threads start.
PRIVATE = getattr(_socket, "MSG_CMSG_CLOEXEC", 0)
FUNCTION, FOLDER, CWD, SECONDS, DETACHED, FROM_SOURCE = range(6)
# Says that Python has started; what fails after it is the hook's failure.
GREETING = b"k"
# Its place among the sources.
WARM_WORKER = 3


class Missing(Exception):
    """A hook that cannot be called."""


class Worker:
    def __init__(self):
        self.me = os.getpid()
        self.targets = {}
        self.files = {}
        self.seen = set(sys.modules)
        self.standard = os.path.dirname(os.__file__) + os.sep
        self.nowhere = os.open(os.devnull, os.O_RDWR)
        self.report_busy = None
        self.answered = 0

    # Where calls come from.

    def serve(self, connection, only_one):
        """Answers one request or all of them; whether we may go on."""
        while True:
            request = self.receive(connection)
            if request is None:
                return True
            answer = self.handle(*request)
            self.answered += 1
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
        if self.report_busy:
            self.report_busy(float(fields[SECONDS]))
        kind, ends, number, text = b"c", b".", 1, ""
        try:
            self.settle(fields, variables)
            kind, number, text = self.call(fields, event)
        except Missing as problem:
            kind, ends, text = b"m", b"E", str(problem)
        except Garbled as problem:
            kind, text = b"g", problem.to_bytes()
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
        if self.report_busy:
            self.report_busy(0)
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
        method = permission_method(target)
        wanted = parameters(method or target)
        if method and wanted > 1:
            result = module("tenter.origins").judged(method, event)
        elif wanted == 1:
            result = (method or target)(event)
        elif wanted == 2:
            result = target(event["event"], module("tenter.origins").data_of(event))
        elif wanted == 0:
            result = target()
        else:
            raise Missing(
                "`%s` has %d parameters; one gets the event, two get its name and its data"
                % (fields[FUNCTION], wanted)
            )
        if hasattr(result, "__await__"):
            result = awaited(result)
        if method and isinstance(result, tuple) and len(result) == 2:
            result = {"allowed": result[0], "reason": result[1]}
        if result is None:
            return b"n", 0, ""
        if isinstance(result, str):
            return b"r", 0, result
        return b"j", 0, as_json(result, event)

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
        if not callable(found) and not permission_method(found):
            raise Missing("`%s` is not callable" % path)
        return found

    def made(self, kind):
        """The one object of a class that hooks of this process share."""
        if kind not in self.targets:
            try:
                # MassGen's hooks are made with their name.
                made_by = getattr(kind.__init__, "__code__", None)
                given = 1 + len(kind.__init__.__defaults__ or ()) if made_by else 0
                named = permission_method(kind) and made_by and made_by.co_argcount > given
                self.targets[kind] = kind(kind.__name__) if named else kind()
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
    text = text.encode("utf-8", "replace") if isinstance(text, str) else text
    numbers = (number.to_bytes(4, "big"), ended.to_bytes(4, "big"), len(text).to_bytes(4, "big"))
    return kind + ends + b"".join(numbers) + text


def stream_to(fd):
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


# The methods by which classes of MassGen judge a call: its name, its arguments, its context.
PERMISSION_METHODS = ("execute", "pre_tool_use_hook")


def permission_method(target):
    """How an object judges a call, if it is one of MassGen's kind."""
    if getattr(target, "__name__", None) in PERMISSION_METHODS and hasattr(target, "__self__"):
        return target
    if type(target) is type(parameters) or hasattr(target, "__func__"):
        return None
    own = [name for name in PERMISSION_METHODS if callable(getattr(target, name, None))]
    has_call = callable(target) and not isinstance(target, type)
    return getattr(target, own[0]) if own and not has_call else None


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


def children():
    found = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open("/proc/self/task/%s/children" % task) as file:
                found += [int(pid) for pid in file.read().split()]
    except OSError:
        pass
    return found


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
        names = {"__name__": "tenter warm worker"}
        exec(compile(SOURCES[WARM_WORKER], "<tenter warm worker>", "exec"), names)
        names["keep"](connection, sys.argv[1:], Worker)
    worker = Worker()
    connection.sendall(GREETING)
    worker.serve(connection, only_one=False)
    worker.end()


main()
