import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { virtualClock } from "pintle/internal/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockFolder } from "../../src/folder-lock/index.ts";

let folder: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-lock-"));
});
afterEach(async () => {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true });
});

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Starts a process that can lock the folder; `wrapper` is a command that runs it. */
async function startProcess(...wrapper: string[]): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("lock-process.ts", import.meta.url));
  const node = [process.execPath, "--conditions=@pintle/source", "--import", "tsx", program, folder];
  const [command, ...args] = [...wrapper, ...node] as [string, ...string[]];
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  children.add(child);
  expect(await once(child, "message")).toEqual(["ready", undefined]);
  return child;
}

async function send(child: ChildProcess, command: "lock" | "release"): Promise<string> {
  const reply = once(child, "message");
  child.send(command);
  return (await reply)[0] as string;
}

async function lockHere(): Promise<string> {
  const lock = await lockFolder(folder);
  if ("heldBy" in lock) return lock.heldBy;
  lock.release();
  return "held";
}

test("exactly one of three processes gets the lock in each of 100 races", async () => {
  const racing = [await startProcess(), await startProcess(), await startProcess()];
  for (let round = 0; round < 100; round++) {
    const outcomes = await Promise.all(racing.map((child) => send(child, "lock")));
    expect(
      outcomes.filter((outcome) => outcome === "held"),
      `round ${round}: ${outcomes.join(", ")}`,
    ).toHaveLength(1);
    for (const outcome of outcomes) expect(outcome).toMatch(/^(held|process \d+)$/);
    await Promise.all(racing.map((child) => send(child, "release")));
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("is held while its process is stopped, and free once it is killed", async () => {
  const child = await startProcess();
  expect(await send(child, "lock")).toBe("held");
  child.kill("SIGSTOP");
  expect(await lockHere()).toBe("another process, which does not respond");
  await kill(child);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^lock-/)]);
  expect(await lockHere()).toBe("held");
  expect(readdirSync(folder)).toEqual([]);
});

test("is held across PID namespaces, where every process may have the same pid", async () => {
  const isolate = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"];
  if (process.platform !== "linux" || spawnSync(isolate[0] as string, [...isolate.slice(1), "true"]).status !== 0) {
    console.log("skipped: this machine does not allow PID namespaces");
    return;
  }
  const [first, second] = [await startProcess(...isolate), await startProcess(...isolate)];
  expect(await send(first, "lock")).toBe("held");
  expect(await send(second, "lock")).toMatch(/^process \d+ of another PID namespace$/);
  expect(await lockHere()).toMatch(/^process \d+ of another PID namespace$/);
  await kill(first);
  expect(await send(second, "lock")).toBe("held");
});

test("works in a folder whose path is longer than the address of a socket may be", async () => {
  folder = path.join(folder, "x".repeat(120), "y".repeat(120));
  mkdirSync(folder, { recursive: true });
  const lock = await lockFolder(folder);
  expect(await lockHere()).toBe("this process");
  if ("release" in lock) lock.release();
  expect(await lockHere()).toBe("held");
  folder = path.dirname(path.dirname(folder));
});

test("removes what a process left that was killed before its socket had its name", async () => {
  writeFileSync(path.join(folder, `lock-${"0".repeat(16)}.new`), "");
  expect(await lockHere()).toBe("held");
  expect(readdirSync(folder)).toEqual([]);
});

test("does not keep the process alive", async () => {
  const program = `import { lockFolder } from ${JSON.stringify(new URL("../../src/folder-lock/index.ts", import.meta.url))};
    await lockFolder(${JSON.stringify(folder)}); await lockFolder(${JSON.stringify(folder)}, { isShared: true, hasSockets: false });`;
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", "--input-type=module", "-e", program]);
  children.add(child);
  expect(await once(child, "exit")).toEqual([0, null]);
});

describe.each([{ hasSockets: true }, { hasSockets: false }])("a folder that other machines can mount (%o)", ({ hasSockets }) => {
  const isShared = true;
  const foreignLease = (text: string) => writeFileSync(path.join(folder, `lease-${"0".repeat(16)}`), text);

  test("is refused when another machine renews its lease", async () => {
    const clock = virtualClock();
    const renew = (renewals: number) => foreignLease(JSON.stringify({ renewals, process: { pid: 7, namespace: "", host: "web-2" } }));
    renew(1);
    const acquiring = lockFolder(folder, { clock, isShared, hasSockets });
    await waitForTimer(clock);
    renew(2);
    await clock.advance(1000);
    expect(await acquiring).toEqual({ heldBy: "process 7 on host web-2" });
    expect(readdirSync(folder)).toEqual([`lease-${"0".repeat(16)}`]);
  });

  test("is locked once another machine's lease has expired, and the own lease is renewed", async () => {
    const clock = virtualClock();
    foreignLease("{}");
    const acquiring = lockFolder(folder, { clock, isShared, hasSockets });
    for (let second = 0; second < 5; second++) {
      await waitForTimer(clock);
      await clock.advance(1000);
    }
    const lock = await acquiring;
    const [own] = readdirSync(folder).filter((name) => name.startsWith("lease-")) as [string];
    const read = () => readFileSync(path.join(folder, own), "utf8");
    const before = read();
    await clock.advance(1000);
    expect(read()).not.toBe(before);
    // Removed by another process that found it expired: it must not appear again.
    rmSync(path.join(folder, own));
    await clock.advance(5000);
    expect(existsSync(path.join(folder, own))).toBe(false);
    if ("release" in lock) lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Resolves when the code under test waits for the clock. */
async function waitForTimer(clock: ReturnType<typeof virtualClock>): Promise<void> {
  while (clock.next === undefined) await new Promise((resolve) => setImmediate(resolve));
}
