// Runs the programs of one control plane and never outlives its parent: when stdin ends, because the parent
// closed it or was killed -9, it stops the programs, last started first, removes their folder
// and exits. Plain JavaScript, so that it starts at once and needs no loader.
//
// Usage: node supervise.mjs <folder>
//   stdin,  a line each: {"name", "command", "args", "env", "log"}   start this program
//   stdout, a line each: {"name", "status", "killed"}                this program exited, on its own or killed
//   stdout, a line each: {"name", "status", "killed"}                this program ended, unasked or killed

import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const graceMs = 5_000;
const [, , folder = ""] = process.argv;

/** In the order they were started. @type {Map<import("node:child_process").ChildProcess, string>} */
const running = new Map();
/** @type {WeakSet<import("node:child_process").ChildProcess>} */
const killed = new WeakSet();
let stopping = false;

/** @param {{ name: string, command: string, args: string[], env: Record<string, string>, log: string }} program */
function start({ name, command, args, env, log }) {
  const output = openSync(log, "a");
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", output, output],
  });
  const ended = (/** @type {string} */ status) => {
    if (running.delete(child) && !stopping) report(name, status, killed.has(child));
  };
  running.set(child, name);
  child.on("error", (error) => ended(error.message));
  child.once("exit", (code, signal) => ended(signal ? `signal ${signal}` : `exit code ${code}`));
}

/** @param {string} name */
function kill(name) {
  const [child] = [...running].find(([, its]) => its === name) ?? [];
  if (child === undefined) return report(name, "not running", true);
  killed.add(child);
  child.kill("SIGKILL");
}

/** @type {(name: string, status: string, killed: boolean) => void} */
function report(name, status, killed) {
  process.stdout.write(`${JSON.stringify({ name, status, killed })}\n`);
}

/** @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  if (!running.has(child)) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const late = new AbortController();
  const patience = delay(graceMs, undefined, { signal: late.signal }).then(
    () => child.kill("SIGKILL"),
    () => {},
  );
  await exit;
  late.abort();
  await patience;
}

async function stopAll() {
  if (stopping) return;
  stopping = true;
  // One by one: kube-apiserver cannot end in good order once its etcd is gone.
  for (const child of [...running.keys()].reverse()) await stop(child);
  await rm(folder, { recursive: true, force: true });
  process.exit();
}

// Writes to a dead parent fail.
process.stdout.on("error", () => {});
// Ctrl-C and a closed terminal are the parent's to handle; it ends our stdin.
process.on("SIGINT", () => {});
process.on("SIGHUP", () => {});
process.on("SIGTERM", stopAll);
createInterface(process.stdin)
  .on("line", (line) => {
    const order = JSON.parse(line);
    if (order.kill === undefined) start(order);
    else kill(order.kill);
  })
  .on("close", stopAll);
