# Keeps a worker beyond the event that needed it first, and ends it in time.
#
#   keeper    runs no code of hooks, so it can be relied upon: ends the worker with all it has started when a
#             call takes too long, when the agent is gone, or when it does not end by itself
#   worker    answers calls, one connection each, and ends when nobody has called for a while
#
# The keeper is the one that listens, so the number that the system gives callers for their peer is its own:
# whoever wants a call to end sends it SIGTERM.

import ctypes
import os
import select
import signal
import time

import _socket

SUBREAPER, DEATH_SIGNAL = 36, 1
GRACE = 0.2
# A worker that should have ended by itself, or should have been ended by who asked it, gets so much longer.
PATIENCE = 1


class Ended(BaseException):
    """Somebody wants the worker to end."""


def keep(connection, arguments, Worker):
    """Returns never, neither in the keeper nor in the worker."""
    path, idle, life, agent, agent_start = arguments
    idle, life = float(idle), float(life)

    def ended(*_):
        raise Ended

    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    prctl = ctypes.CDLL(None).prctl
    prctl(SUBREAPER, 1, 0, 0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    listener = listen_at(path)
    mine = identity(path) if listener else None
    tidy(os.path.dirname(path))
    busy_reader, busy_writer = os.pipe()
    leash_reader, leash_writer = os.pipe()
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)
        os.setpgid(0, 0)
        prctl(SUBREAPER, 1, 0, 0, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.close(busy_reader)
        os.close(leash_writer)
        work(Worker(), connection, listener, (path, mine), (idle, life), busy_writer, leash_reader)
    os.close(busy_writer)
    os.close(leash_reader)
    connection.close()
    if listener:
        listener.close()
    try:
        watch(worker, busy_reader, time.monotonic() + life + idle, agent, agent_start)
    except Ended:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        forget(path, mine)
        signal_group(worker, signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    forget(path, mine)
    os.close(leash_writer)
    end_all(worker)
    os._exit(0)


def listen_at(path):
    """A socket that is there under its name from one moment to the next, and only for us."""
    temporary = "%s.%d" % (path, os.getpid())
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    os.set_inheritable(listener.fileno(), False)
    before = os.umask(0o177)
    try:
        listener.bind(temporary)
        listener.listen(16)
        os.rename(temporary, path)
    except OSError:
        listener.close()
        return None
    finally:
        os.umask(before)
    return listener


def tidy(folder):
    """Removes sockets at which nobody listens any more: their keepers were killed."""
    for name in os.listdir(folder)[:1000]:
        path = os.path.join(folder, name)
        probe = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            try:
                os.unlink(path)
            except OSError:
                pass
        except OSError:
            pass
        finally:
            probe.close()


def identity(path):
    """Tells a file from another that gets its name, and even its number, after it."""
    try:
        found = os.lstat(path)
        return found.st_ino, found.st_ctime_ns
    except OSError:
        return None


def forget(path, mine):
    """Removes the socket, if it is still ours."""
    try:
        if mine is not None and identity(path) == mine:
            os.unlink(path)
    except OSError:
        pass


# The worker's part.


def work(worker, connection, listener, address, limits, busy, leash):
    path, mine = address
    idle, life = limits

    def tell(seconds):
        os.write(busy, b"%f\n" % seconds)

    worker.tell = tell
    connection.sendall(b"k")
    goes_on = worker.serve(connection, only_one=True)
    connection.close()
    started = last = time.monotonic()
    while goes_on and listener and identity(path) == mine:
        now = time.monotonic()
        left = min(last + idle, started + life) - now
        if left <= 0:
            break
        ready = select.select([listener, leash], [], [], min(left, 1))[0]
        if leash in ready:
            break
        if not ready:
            continue
        caller = _socket.socket(fileno=listener._accept()[0])
        answered = worker.answered
        try:
            caller.sendall(b"k")
            goes_on = worker.serve(caller, only_one=True)
        except OSError:
            pass
        finally:
            caller.close()
        # Whoever only looks whether somebody listens does not keep us waiting.
        if worker.answered != answered:
            last = time.monotonic()
    forget(path, mine)
    worker.end()


# The keeper's part.


def watch(worker, busy, end, agent, agent_start):
    """Returns when the worker has ended; raises `Ended` if it must."""
    # A copy of the worker may hold its end of the pipe, so the end of the worker itself must wake us.
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    until = None
    while not has_ended(worker):
        now = time.monotonic()
        if now > (end if until is None else until) + PATIENCE or not lives(agent, agent_start):
            raise Ended
        ready = select.select([busy, wakes], [], [], 1)[0]
        if wakes in ready:
            os.read(wakes, 4096)
        if busy in ready:
            said = os.read(busy, 65536)
            if not said:
                return
            seconds = float(said.split()[-1])
            until = time.monotonic() + seconds if seconds else None


def has_ended(worker):
    """It is not reaped by looking: until it is, its number cannot be a stranger's."""
    return os.waitid(os.P_PID, worker, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def lives(agent, agent_start):
    return agent == "0" or start_of(agent) == agent_start


def start_of(pid):
    """When a process began, which tells it from a later one of the same number."""
    try:
        with open("/proc/%s/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return None


def end_all(worker):
    """Waits a moment for the worker, kills it, and then whatever it has left to us."""
    end = time.monotonic() + GRACE
    while time.monotonic() < end and not has_ended(worker):
        time.sleep(0.005)
    signal_group(worker, signal.SIGKILL)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for task in os.listdir("/proc/self/task"):
            with open("/proc/self/task/%s/children" % task) as file:
                for pid in file.read().split():
                    os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.002)


def signal_group(leader, number):
    try:
        os.killpg(leader, number)
    except OSError:
        pass
