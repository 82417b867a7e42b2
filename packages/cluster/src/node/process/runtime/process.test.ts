import { describe, expect, test } from "vitest";
import { startProcess } from "./process.ts";

const guard = { mark: "process-test", add() {}, remove() {}, async close() {} };
const shell = (script: string) => ({ command: "/bin/sh", args: ["-c", script], env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" });

describe.runIf(process.platform === "linux")("a process", () => {
  test("reports its exit code, or 128 plus the signal number", async () => {
    expect(await (await startProcess(shell("exit 3"), guard)).exit).toEqual({ code: 3 });
    expect(await (await startProcess(shell("kill -9 $$"), guard)).exit).toEqual({ code: 137 });
  });

  test("reports the exit if it exits before it is ready", async () => {
    // The sleep keeps file descriptor 3 open after the shell has exited.
    const started = await startProcess({ ...shell("echo ready >&3; sleep 60 & exit 4"), signalsReady: true }, guard);
    expect(await started.exit).toEqual({ code: 4 });
  });

  test("rejects with stderr if its mounts fail", async () => {
    await expect(startProcess({ ...shell("echo no room >&2; exit 1"), signalsReady: true }, guard)).rejects.toThrow("no room");
  });
});
