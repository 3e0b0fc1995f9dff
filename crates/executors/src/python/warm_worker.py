# Keeps a worker beyond its first event, and ends it in time.
#
#   supervisor   runs no code of hooks, so it stays reliable: it ends the worker with all its processes when a call
#                takes too long, when the agent is gone, or when the worker does not end by itself
#   worker       answers calls, one connection each, and ends after a time without calls
#
# The supervisor creates the listening socket, so callers see its process number as their peer: they end a call by
# sending it SIGTERM.

import ctypes
import os
import select
import signal
import time

import _socket

SUBREAPER, DEATH_SIGNAL = 36, 1
GRACE = 0.2
# Further time for a worker that should have ended by itself, or should have been ended by its caller.
PATIENCE = 1


class Ended(BaseException):
    """The worker must end."""


def keep(connection, arguments, Worker):
    """Never returns, neither in the supervisor nor in the worker."""
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
    supervisor = os.getpid()
    worker = os.fork()
    if worker == 0:
        prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != supervisor:
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
    """A socket that appears under its name at once, and only for this user."""
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
    """Removes sockets without a listener: their supervisors were killed."""
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
    """Distinguishes a file from a later one with the same name, and even the same inode number."""
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


# The worker.


def work(worker, connection, listener, address, limits, busy, leash):
    path, mine = address
    idle, life = limits

    def report_busy(seconds):
        os.write(busy, b"%f\n" % seconds)

    worker.report_busy = report_busy
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
        # A caller that only probes the socket does not extend the life of the worker.
        if worker.answered != answered:
            last = time.monotonic()
    forget(path, mine)
    worker.end()


# The supervisor.


def watch(worker, busy, end, agent, agent_start):
    """Returns when the worker has ended; raises `Ended` if it must."""
    # A forked copy of the worker may hold its end of the pipe, so the end of the worker itself must wake the supervisor.
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
            reported = os.read(busy, 65536)
            if not reported:
                return
            seconds = float(reported.split()[-1])
            until = time.monotonic() + seconds if seconds else None


def has_ended(worker):
    """Does not reap it: until then, no other process can get its number."""
    return os.waitid(os.P_PID, worker, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def lives(agent, agent_start):
    return agent == "0" or start_of(agent) == agent_start


def start_of(pid):
    """The start time of a process, which distinguishes it from a later one of the same number."""
    try:
        with open("/proc/%s/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return None


def end_all(worker):
    """Waits a moment for the worker, kills it, and then its leftover processes."""
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
