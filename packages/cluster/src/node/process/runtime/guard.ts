import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** By this variable every process of a node is known, whoever its parent is by now. */
export const MARK = "PINTLE_NODE";

/**
 * A shell that outlives this process for a moment. It is told of every process group, and when its input ends, for
 * whatever reason, it ends them all, and then whoever else carries the mark.
 */
const SCRIPT = `trap '' HUP INT TERM
groups=" "
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) groups=$(printf %s "$groups" | sed "s/ $group / /") ;;
  esac
done
for turn in 1 2 3 4 5 6 7 8; do
  for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done
  left=$(grep -ls "${MARK}=$1" /proc/[0-9]*/environ | sed 's|/proc/||; s|/environ||')
  [ -z "$left" ] && exit 0
  kill -KILL $left 2>/dev/null
  sleep 0.05
done
`;

export interface Guard {
  /** What a process of the node carries in its environment. */
  readonly mark: string;
  add(group: number): void;
  remove(group: number): void;
  /** Ends everything that is still there. */
  close(): Promise<void>;
}

export const markOf = (folder: string) => createHash("sha256").update(folder).digest("hex").slice(0, 24);

export function guard(folder: string): Guard {
  const mark = markOf(folder);
  const child: ChildProcess = spawn("/bin/sh", ["-c", SCRIPT, "pintle-guard", mark], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: "/",
  });
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const { stdin } = child;
  // Somebody may have ended it; that is seen when the node is closed.
  stdin?.on("error", () => {});
  child.unref();
  (stdin as unknown as { unref?: () => void } | null)?.unref?.();
  const say = (line: string) => void stdin?.write(`${line}\n`);
  return {
    mark,
    add: (group) => say(`+ ${group}`),
    remove: (group) => say(`- ${group}`),
    async close() {
      child.ref();
      stdin?.end();
      await gone;
    },
  };
}

/** Ends whoever carries a mark, or one that begins with it: a process' children, or all that an earlier node of a folder left. */
export async function endMarked(mark: string): Promise<number> {
  const wanted = `${MARK}=${mark}`;
  let ended = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environ = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (!environ.split("\0").some((each) => each === wanted || each.startsWith(`${wanted}.`))) continue;
    try {
      process.kill(Number(name), "SIGKILL");
      ended++;
    } catch {
      // Gone by itself.
    }
  }
  return ended;
}
