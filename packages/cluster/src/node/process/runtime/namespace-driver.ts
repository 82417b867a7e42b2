import { readFile } from "node:fs/promises";
import path from "node:path";
import { memoize } from "pintle/internal/memoize";
import type { Pod } from "pintle/kinds/core/v1";
import { findProgram, getSearchPath } from "../image/image-command.ts";
import { resolveInRoot } from "../image/path-in-root.ts";
import type { ResolvedMount } from "../volume/volume-manager.ts";
import { buildMountArguments, CONTAINER_SCRIPT } from "./container-script.ts";
import type { ContainerLaunch, IsolationDriver, PodSandbox, SpawnOptions } from "./isolation-driver.ts";
import { getHostname } from "./loopback-driver.ts";
import { createPodBridge, type PodBridge, runHostCommand, startNamespaceHolder } from "./pod-bridge.ts";
import { buildPrivilegeArguments, installLauncher, MOUNTED_LAUNCHER } from "./privilege-launcher.ts";
import type { NodeProcess } from "./process.ts";
import type { ProcessGuard } from "./process-guard.ts";

const SANDBOX_SCRIPT = `echo "$1" > /proc/sys/kernel/hostname
ip link set lo up 2>/dev/null
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
echo ready
exec sleep infinity`;

/** Creates the driver that runs pods in network and mount namespaces, as root on Linux. */
export async function createNamespaceDriver(
  podNetwork: string,
  folder: string,
  /** Files and folders of the machine that containers may not see. Real paths, none below another. */
  privatePaths: readonly string[],
  guard: ProcessGuard,
): Promise<IsolationDriver> {
  const bridge = await createPodBridge(podNetwork, guard);
  const mountLauncher = memoize(() => installLauncher(findTool("setpriv"), path.join(folder, "launcher")));
  let count = 0;
  return {
    mode: "namespaces",
    hostAddress: bridge.gateway,
    async createSandbox(pod, address) {
      const usesHostNetwork = pod.spec.hostNetwork === true;
      const namespaces = usesHostNetwork ? ["--uts", "--ipc"] : ["--net", "--uts", "--ipc"];
      const holder = await startNamespaceHolder(
        [
          ...namespaces,
          "sh",
          "-c",
          usesHostNetwork ? SANDBOX_SCRIPT.replace(/\necho 0.*\n/, "\n") : SANDBOX_SCRIPT,
          "pause",
          getHostname(pod),
        ],
        guard,
      );
      try {
        if (!usesHostNetwork) await attachToBridge(bridge, holder.pid, `p${(++count).toString(36)}`, address);
      } catch (error) {
        holder.signalAll("SIGKILL");
        throw error;
      }
      return createSandbox(pod, address, holder, { mountLauncher, privatePaths });
    },
    assignAddress: async (address) => void (await runHostCommand("ip", ["addr", "replace", `${address}/32`, "dev", bridge.device])),
    unassignAddress: async (address) => void (await runHostCommand("ip", ["addr", "del", `${address}/32`, "dev", bridge.device])),
    close: () => bridge.close(),
  };
}

async function attachToBridge({ pid: bridge, gateway }: PodBridge, pod: number, name: string, address: string): Promise<void> {
  const steps = `ip link add ${name} netns ${bridge} type veth peer name eth0 netns ${pod}
nsenter -t ${bridge} -n ip link set ${name} master br0 up
nsenter -t ${pod} -n sh -ec 'ip addr add ${address}/16 dev eth0; ip link set eth0 up; ip route add default via ${gateway}'`;
  await runHostCommand("sh", ["-ec", steps]);
}

function createSandbox(
  pod: Pod,
  address: string,
  holder: NodeProcess,
  { mountLauncher, privatePaths }: { mountLauncher(): Promise<ResolvedMount>; readonly privatePaths: readonly string[] },
): PodSandbox {
  const hostVariables = { HOSTNAME: getHostname(pod) };
  const namespaces = ["-t", String(holder.pid), ...(pod.spec.hostNetwork === true ? [] : ["--net"]), "--uts", "--ipc"];
  return {
    address,
    async buildSpawn(launch: ContainerLaunch): Promise<SpawnOptions> {
      const { env, workingDir = "/", mounts, folder, files, rootfs, readOnlyRoot } = launch;
      const lower = rootfs ?? "/";
      const disks = rootfs === undefined ? await listHostMounts() : [];
      const resolvedMounts = await Promise.all(
        [...disks, ...mounts].map(async (each) => ({ ...each, path: await resolveInRoot(lower, each.path) })),
      );
      const root = path.join(folder, "root");
      const cwd = await resolveInRoot(lower, workingDir);
      const allMounts = rootfs === undefined ? resolvedMounts : [...resolvedMounts, await mountLauncher()];
      // Volumes of the machine's files lie in the folder of the nodes only.
      const covered = rootfs === undefined ? privatePaths : [];
      const run = [`--root=${root}`, `--wd=${path.posix.join("/", cwd)}`, "--", ...buildLaunchCommand(launch)];
      const script = [
        findTool("sh"),
        "-c",
        CONTAINER_SCRIPT,
        "container",
        root,
        lower,
        path.join(folder, "layer"),
        readOnlyRoot === true ? "ro" : "rw",
        files,
        String(allMounts.length),
      ];
      return {
        command: findTool("nsenter"),
        args: [
          ...namespaces,
          "--",
          findTool("unshare"),
          "--mount",
          "--propagation",
          "private",
          "--",
          ...script,
          ...buildMountArguments(allMounts),
          String(covered.length),
          ...covered,
          ...run,
        ],
        env: { ...env, ...hostVariables },
        cwd: "/",
        signalsReady: true,
      };
    },
    buildExec: (pid, launch) => ({
      command: findTool("nsenter"),
      args: [...namespaces.slice(2), "-t", String(pid), "--mount", "--root", "--wd", "--", ...buildLaunchCommand(launch)],
      env: { ...launch.env, ...hostVariables },
      cwd: "/",
    }),
    buildNetworkExec: ([command = "", ...args]) => ({
      command: "nsenter",
      args: ["-t", String(holder.pid), "-n", "--", command, ...args],
      env: { PATH: process.env["PATH"] ?? "" },
      cwd: "/",
    }),
    // Packets are sent to a MAC address that does not exist and are silently lost.
    async setPartitioned(other, isCut) {
      const step = isCut
        ? ["replace", other, "lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent"]
        : ["del", other, "dev", "eth0"];
      await runHostCommand("nsenter", ["-t", String(holder.pid), "-n", "ip", "neigh", ...step]);
    },
    async close() {
      holder.signalAll("SIGKILL");
      await holder.exit;
    },
  };
}

/** Resolved before the container's PATH applies. */
const findTool = (name: string) => findProgram(name, {}, getSearchPath()) ?? name;
/** Builds the command that runs inside of the container's root: it gives up privileges and executes the program. */
const buildLaunchCommand = (launch: ContainerLaunch) => [
  ...(launch.rootfs === undefined ? [findTool("setpriv")] : MOUNTED_LAUNCHER),
  ...buildPrivilegeArguments(launch),
  ...launch.argv,
];

const EXCLUDED_PATHS = /^\/(proc|sys|dev|run|tmp|boot)(\/|$)/;
const DISK_FILE_SYSTEMS = /^(ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|nfs4?|9p|virtiofs|squashfs|erofs|fuse\..*)$/;

/** Lists the disks of the machine apart from its root, which an overlay of the root does not include. They are mounted read-only. */
async function listHostMounts(): Promise<readonly ResolvedMount[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).trim().split("\n");
  const found = lines.flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const target = (before.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const [type = ""] = after.split(" ");
    return target !== "/" && !EXCLUDED_PATHS.test(target) && DISK_FILE_SYSTEMS.test(type) ? [target] : [];
  });
  return [...new Set(found)].sort().map((target) => ({ source: target, path: target, readOnly: true }));
}
