import path from "node:path";
import type { Pod } from "pintle/kinds/core/v1";
import { programOf, searchPath } from "../../image/command.ts";
import { inside } from "../../image/oci/inside.ts";
import type { Driver, Launch, Sandbox, Spawn } from "../driver.ts";
import type { Guard } from "../guard.ts";
import { hostname } from "../loopback.ts";
import type { Process } from "../process.ts";
import { CONTAINER_SCRIPT, mountArguments } from "./container-script.ts";
import { machineMounts } from "./machine-mounts.ts";
import { held, type Router, router, run } from "./router.ts";

const HOLD = `echo "$1" > /proc/sys/kernel/hostname
ip link set lo up 2>/dev/null
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
echo ready
exec sleep infinity`;

/** Pods with network and mount namespaces of their own, as root on Linux. */
export async function namespaceDriver(podNetwork: string, guard: Guard): Promise<Driver> {
  const cable = await router(podNetwork, guard);
  let count = 0;
  return {
    mode: "namespaces",
    hostAddress: cable.gateway,
    async sandbox(pod, address) {
      const isHosts = pod.spec.hostNetwork === true;
      const namespaces = isHosts ? ["--uts", "--ipc"] : ["--net", "--uts", "--ipc"];
      const holder = await held(
        [...namespaces, "sh", "-c", isHosts ? HOLD.replace(/\necho 0.*\n/, "\n") : HOLD, "pause", hostname(pod)],
        guard,
      );
      try {
        if (!isHosts) await plugIn(cable, holder.pid, `p${(++count).toString(36)}`, address);
      } catch (error) {
        holder.signalAll("SIGKILL");
        throw error;
      }
      return sandboxOf(pod, address, holder);
    },
    hold: async (address) => void (await run("ip", ["addr", "replace", `${address}/32`, "dev", cable.device])),
    release: async (address) => void (await run("ip", ["addr", "del", `${address}/32`, "dev", cable.device])),
    close: () => cable.close(),
  };
}

async function plugIn({ pid: bridge, gateway }: Router, pod: number, name: string, address: string): Promise<void> {
  const steps = `ip link add ${name} netns ${bridge} type veth peer name eth0 netns ${pod}
nsenter -t ${bridge} -n ip link set ${name} master br0 up
nsenter -t ${pod} -n sh -ec 'ip addr add ${address}/16 dev eth0; ip link set eth0 up; ip route add default via ${gateway}'`;
  await run("sh", ["-ec", steps]);
}

function sandboxOf(pod: Pod, address: string, holder: Process): Sandbox {
  const own = { HOSTNAME: hostname(pod) };
  const namespaces = ["-t", String(holder.pid), ...(pod.spec.hostNetwork === true ? [] : ["--net"]), "--uts", "--ipc"];
  return {
    address,
    async launch({ argv, env, workingDir = "/", mounts, user, folder, rootfs }: Launch): Promise<Spawn> {
      const lower = rootfs ?? "/";
      const disks = rootfs === undefined ? await machineMounts() : [];
      const placed = await Promise.all([...disks, ...mounts].map(async (each) => ({ ...each, path: await inside(lower, each.path) })));
      const root = path.join(folder, "root");
      const cwd = await inside(lower, workingDir);
      const run = [`--root=${root}`, `--wd=${path.posix.join("/", cwd)}`, ...asUser(user, "-S", "-G"), "--", ...argv];
      const script = [tool("sh"), "-c", CONTAINER_SCRIPT, "container", root, lower, path.join(folder, "layer"), String(placed.length)];
      return {
        command: tool("nsenter"),
        args: [
          ...namespaces,
          "--",
          tool("unshare"),
          "--mount",
          "--propagation",
          "private",
          "--",
          ...script,
          ...mountArguments(placed),
          ...run,
        ],
        env: { ...env, ...own },
        cwd: "/",
        prepares: true,
      };
    },
    join: (pid, { argv, env, user }) => ({
      command: tool("nsenter"),
      args: [...namespaces.slice(2), "-t", String(pid), "--mount", "--root", "--wd", ...asUser(user, "-S", "-G"), "--", ...argv],
      env: { ...env, ...own },
      cwd: "/",
    }),
    inNetwork: ([command = "", ...args]) => ({
      command: "nsenter",
      args: ["-t", String(holder.pid), "-n", "--", command, ...args],
      env: { PATH: process.env["PATH"] ?? "" },
      cwd: "/",
    }),
    // Whatever is sent there goes to nobody, and nobody hears that it does.
    async cut(other, isCut) {
      const step = isCut
        ? ["replace", other, "lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent"]
        : ["del", other, "dev", "eth0"];
      await run("nsenter", ["-t", String(holder.pid), "-n", "ip", "neigh", ...step]);
    },
    async close() {
      holder.signalAll("SIGKILL");
      await holder.exit;
    },
  };
}

/** Found before the container's own PATH counts. */
const tool = (name: string) => programOf(name, {}, searchPath()) ?? name;
const asUser = (user: Launch["user"], uid: string, gid: string) =>
  user === undefined ? [] : [uid, String(user.uid), gid, String(user.gid)];
