import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Keeps a folder to one process: another one would end its pods. Gives back how to let go. */
export async function lock(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "lock");
  const own = `${process.pid} ${await startOf(process.pid)}`;
  const [pid = "", start = ""] = (await readFile(file, "utf8").catch(() => "")).trim().split(" ");
  if (pid !== "" && (await startOf(Number(pid))) === start)
    throw new Error(`process nodes: ${folder} is in use by process ${pid}: end it, or give this cluster a folder of its own`);
  await writeFile(file, `${own}\n`);
  return () => rm(file, { force: true });
}

/** When a process began, which tells it from a later one with its number; empty for none. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return (
    stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .at(19) ?? ""
  );
}
