import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { StoreError } from "../store.ts";

/**
 * Keeps a folder for one process. Everybody puts up a file of their own, named after their process, and only then looks
 * for others: of two that come at once at least one sees the other, and neither can remove what the other relies on.
 * Files of processes that are gone are cleared away. Holds among the processes of one machine.
 */
export function lock(folder: string): () => void {
  const own = `lock-${process.pid}-${startOf(process.pid) ?? "0"}-${nextNumber++}`;
  const file = path.join(folder, own);
  closeSync(openSync(file, "wx", 0o600));
  const release = () => rmSync(file, { force: true });
  for (const name of readdirSync(folder)) {
    const [, pid, start] = /^lock-(\d+)-([^-]+)-\d+$/.exec(name) ?? [];
    if (name === own || pid === undefined || start === undefined) continue;
    if (isRunning(Number(pid), start)) {
      release();
      const who = Number(pid) === process.pid ? "this process" : `process ${pid}`;
      throw new StoreError(`${folder} is in use by ${who}: stop it first, or choose another folder`);
    }
    rmSync(path.join(folder, name), { force: true });
  }
  return release;
}

let nextNumber = 1;

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(pid);
  return now === undefined || now === start;
}

/** When a process began, so that another one with its number is not taken for it; undefined where that cannot be told. */
function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // What follows the program's name, which may hold anything: state first, start time twentieth.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state = "", ticks = ""] = [fields[0], fields[19]];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    return state === "Z" || state === "X" ? "ended" : `${ticks}.${boot}`;
  } catch {
    return undefined;
  }
}
