/** A cluster leaves nothing behind: neither when it is stopped nor when its process is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { findProcesses } from "./find-processes.ts";
import { sampledModes } from "./modes.ts";

/** Both signals need a cluster each; a sample only uses SIGKILL, the harder one. */
const signals: readonly NodeJS.Signals[] = full ? ["SIGKILL", "SIGTERM"] : ["SIGKILL"];
const CLUSTER = path.join(import.meta.dirname, "one-cluster.ts");

/** The uid of an unprivileged user, used if this process may change users and that user could read this checkout. */
const UNPRIVILEGED_UID = 65534;
function isWorldReadable(folder: string): boolean {
  return (statSync(folder).mode & 0o005) === 0o005 && (folder === "/" || isWorldReadable(path.dirname(folder)));
}
const isUnprivileged = process.getuid?.() === 0 && isWorldReadable(import.meta.dirname);

async function waitUntilNone(find: () => readonly string[]): Promise<readonly string[]> {
  for (let n = 0; n < 100 && find().length > 0; n++) await pause(100);
  return find();
}

describe.each(sampledModes)("%s", (mode) => {
  test.each(signals)("%s", async (signal) => {
    const folder = await mkdtemp(path.join(tmpdir(), "pintle-leftovers-"));
    try {
      if (isUnprivileged) chownSync(folder, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
      const before = Object.keys(networkInterfaces()).sort();
      const mark = `leftover-${process.pid}-${mode}-${signal}`;
      const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", CLUSTER, mode, folder, mark], {
        stdio: ["ignore", "pipe", "inherit"],
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: folder, HOME: folder },
        ...(mode === "loopback" && isUnprivileged ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {}),
      });
      // The child prints a line when its pods run: with grandchildren, one of them in a session of its own.
      await Promise.race([
        once(child.stdout, "data"),
        once(child, "exit").then(([code]) => {
          throw new Error(`the cluster ended with ${code} before its pods ran`);
        }),
      ]);
      const running = findProcesses(mark).filter((line) => !line.startsWith(`${child.pid} `));
      expect(running.length).toBeGreaterThanOrEqual(7);
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      expect(await waitUntilNone(() => findProcesses(mark))).toEqual([]);
      expect(
        await waitUntilNone(() =>
          Object.keys(networkInterfaces())
            .sort()
            .filter((name) => !before.includes(name)),
        ),
      ).toEqual([]);
      expect(
        await waitUntilNone(() =>
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
