"""A Slurm of one node on loopback: controller, node and munge run as the user of the test, in a folder, on free ports, and end with it."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

# Names differ between systems; Debian: slurm-wlm, munge.
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")

CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=2
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={port}
SlurmdPort={node_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=10
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=1000
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=500 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def find_reason():
    """Why there can be no cluster here; None: there can."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)"
    return "sanitizers: the scripts are the same, and tested without them" if os.environ.get("FLYBALL_IS_SANITIZED") else None


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.env = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf", "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        for name in list(self.env):
            if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF":
                del self.env[name]

    def start(self):
        """None, or why it did not start."""
        port, node_port = free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(folder=self.folder, host=socket.gethostname().split(".")[0], user=user, port=port,
                                                                     node_port=node_port, cpus=os.cpu_count()))
        commands = (["munged", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                     f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed"],
                    ["slurmctld", "-f", self.env["SLURM_CONF"]], ["slurmd", "-f", self.env["SLURM_CONF"]])
        for command in commands:
            done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=30)
            if done.returncode != 0:
                return f"{command[0]} ends with {done.returncode}: {done.stderr[-300:]}"
        for _ in range(200):
            if "idle" in self.run("sinfo", "-h"):
                return None
            time.sleep(0.1)
        return "the node did not become idle in 20 s"

    def run(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=60).stdout

    def wait_for_jobs(self, seconds=100):
        """Until no job is left; whether that came true. A requeued job waits two minutes, until its old credential has expired; here that takes 2 s."""
        seen = {}
        for _ in range(int(seconds / 0.1)):
            jobs = self.run("squeue", "-h", "-r", "-o", "%i %r").splitlines()
            if not jobs:
                return True
            for job, reason in (line.split(maxsplit=1) for line in jobs):
                if reason == "BeginTime" and time.monotonic() - seen.setdefault(job, time.monotonic()) > 3:
                    self.run("scontrol", "update", f"JobId={job}", "StartTime=now")
            time.sleep(0.1)
        return False

    def state_of(self, job):
        """State and exit code that the controller remembers, as 'FAILED 1:0'."""
        fields = dict(word.split("=", 1) for word in self.run("scontrol", "show", "job", str(job)).split() if "=" in word)
        return f"{fields.get('JobState')} {fields.get('ExitCode')}"

    def stop(self):
        """Nothing of it is needed again, so that it need not be saved."""
        self.run("scancel", "-u", str(os.getuid()))
        for name in ("slurmd", "slurmctld", "munged"):
            path = self.folder / f"{name}.pid"
            text = path.read_text().strip() if path.exists() else ""
            if text.isdigit():
                try:
                    os.kill(int(text), signal.SIGKILL)
                except ProcessLookupError:
                    pass
