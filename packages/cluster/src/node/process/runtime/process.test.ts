import { describe, expect, test } from "vitest";
import { startProcess } from "./process.ts";

const guard = { mark: "process-test", add() {}, remove() {}, async close() {} };
const shell = (script: string) => ({ command: "/bin/sh", args: ["-c", script], env: { PATH: process.env["PATH"] ?? "" }, cwd: "/" });

describe.runIf(process.platform === "linux")("a process", () => {
  test("ends with its code, or 128 and the number of the signal that ended it", async () => {
    expect(await (await startProcess(shell("exit 3"), guard)).exit).toEqual({ code: 3 });
    expect(await (await startProcess(shell("kill -9 $$"), guard)).exit).toEqual({ code: 137 });
  });

  test("that is over before it is known to have begun has ended all the same", async () => {
    // The sleeper keeps the fourth file open after the end of the shell.
    const started = await startProcess({ ...shell("echo ready >&3; sleep 60 & exit 4"), prepares: true }, guard);
    expect(await started.exit).toEqual({ code: 4 });
  });

  test("whose surroundings cannot be made says why", async () => {
    await expect(startProcess({ ...shell("echo no room >&2; exit 1"), prepares: true }, guard)).rejects.toThrow("no room");
  });
});
