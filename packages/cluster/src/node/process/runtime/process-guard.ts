import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** The environment variable that identifies all processes of a node, also after a change of their parent. */
export const MARK_VARIABLE = "PINTLE_NODE";

/**
 * The guard process: a shell that outlives this process briefly. It receives every process group, and when its input ends, for whatever
 * reason, it kills them all and then every process with the mark.
 */
const GUARD_SCRIPT = `trap '' HUP INT TERM
groups=" "
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) groups=$(printf %s "$groups" | sed "s/ $group / /") ;;
  esac
done
for turn in 1 2 3 4 5 6 7 8; do
  for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done
  left=$(grep -ls "${MARK_VARIABLE}=$1" /proc/[0-9]*/environ | sed 's|/proc/||; s|/environ||')
  [ -z "$left" ] && exit 0
  kill -KILL $left 2>/dev/null
  sleep 0.05
done
`;

export interface ProcessGuard {
  /** The value of the mark variable. */
  readonly mark: string;
  add(group: number): void;
  remove(group: number): void;
  /** Kills all remaining processes. */
  close(): Promise<void>;
}

export const computeMark = (folder: string) => createHash("sha256").update(folder).digest("hex").slice(0, 24);

export function startProcessGuard(folder: string): ProcessGuard {
  const mark = computeMark(folder);
  const child: ChildProcess = spawn("/bin/sh", ["-c", GUARD_SCRIPT, "pintle-guard", mark], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: "/",
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const { stdin } = child;
  // The guard may have been killed; `close` then returns at once.
  stdin?.on("error", () => {});
  child.unref();
  (stdin as unknown as { unref?: () => void } | null)?.unref?.();
  const send = (line: string) => void stdin?.write(`${line}\n`);
  return {
    mark,
    add: (group) => send(`+ ${group}`),
    remove: (group) => send(`- ${group}`),
    async close() {
      child.ref();
      stdin?.end();
      await exited;
    },
  };
}

/**
 * Kills every process with the mark, or one that starts with it: the children of a process, or what an earlier node of the folder left.
 * Returns their number.
 */
export async function killMarkedProcesses(mark: string): Promise<number> {
  const markedVariable = `${MARK_VARIABLE}=${mark}`;
  let killed = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environ = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (!environ.split("\0").some((each) => each === markedVariable || each.startsWith(`${markedVariable}.`))) continue;
    try {
      process.kill(Number(name), "SIGKILL");
      killed++;
    } catch {
      // It has already exited.
    }
  }
  return killed;
}
