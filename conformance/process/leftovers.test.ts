/** Nothing is left of a cluster: neither when it is stopped nor when its process is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { sampled } from "./modes.ts";

/** Both ways to end take a cluster each; a sample tries the harder one. */
const signals: readonly NodeJS.Signals[] = full ? ["SIGKILL", "SIGTERM"] : ["SIGKILL"];
const CLUSTER = path.join(import.meta.dirname, "one-cluster.ts");

/** Processes that say by their environment or arguments that they belong to a folder. */
function belonging(word: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "latin1") + readFileSync(`/proc/${pid}/environ`, "latin1");
        return words.includes(word) ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`] : [];
      } catch {
        return [];
      }
    });
}

/** Somebody without rights, where whoever this is may choose and they could read this checkout. */
const NOBODY = 65534;
function isOpen(folder: string): boolean {
  return (statSync(folder).mode & 0o005) === 0o005 && (folder === "/" || isOpen(path.dirname(folder)));
}
const asNobody = process.getuid?.() === 0 && isOpen(import.meta.dirname);

async function none(find: () => readonly string[]): Promise<readonly string[]> {
  for (let n = 0; n < 100 && find().length > 0; n++) await pause(100);
  return find();
}

describe.each(sampled)("%s", (mode) => {
  test.each(signals)("%s", async (signal) => {
    const folder = await mkdtemp(path.join(tmpdir(), "pintle-leftovers-"));
    try {
      if (asNobody) chownSync(folder, NOBODY, NOBODY);
      const before = Object.keys(networkInterfaces()).sort();
      const mark = `leftover-${process.pid}-${mode}-${signal}`;
      const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", CLUSTER, mode, folder, mark], {
        stdio: ["ignore", "pipe", "inherit"],
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: folder, HOME: folder },
        ...(mode === "loopback" && asNobody ? { uid: NOBODY, gid: NOBODY } : {}),
      });
      // It says so when its pods run: children of children among them, one in a session of its own.
      await Promise.race([
        once(child.stdout, "data"),
        once(child, "exit").then(([code]) => {
          throw new Error(`the cluster ended with ${code} before its pods ran`);
        }),
      ]);
      const running = belonging(mark).filter((line) => !line.startsWith(`${child.pid} `));
      expect(running.length).toBeGreaterThanOrEqual(7);
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      expect(await none(() => belonging(mark))).toEqual([]);
      expect(
        await none(() =>
          Object.keys(networkInterfaces())
            .sort()
            .filter((name) => !before.includes(name)),
        ),
      ).toEqual([]);
      expect(
        await none(() =>
          readFileSync("/proc/self/mountinfo", "utf8")
            .split("\n")
            .filter((line) => line.includes(folder)),
        ),
      ).toEqual([]);
    } finally {
      expect(existsSync(folder)).toBe(true);
      await rm(folder, { recursive: true, force: true });
    }
  });
});
