import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ControllersServer } from "../controllers/servers.ts";
import { steps } from "../guides/console.ts";
import { binaries } from "../real/index.ts";
import { maskPageOutput, parsePageFiles } from "./page.ts";

/** Read-only commands are repeated, because controllers need time to converge. */
const READ_ONLY = /^kubectl (get|describe|events) /;
const BETWEEN = 200;
const PATIENCE = 60_000;

/** Runs the commands of a page; repeats read-only ones until `enough` returns true. Resolves to the printed output of each. */
export async function runPage(
  markdown: string,
  { kubeconfig }: ControllersServer,
  enough: (printed: string, before: string | undefined, expected: string, command: string) => boolean,
): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-living-"));
  const config = path.join(folder, "kubeconfig");
  const env = { ...process.env, KUBECONFIG: config, PATH: `${binaries().folder}${path.delimiter}${process.env["PATH"]}` };
  try {
    writeFileSync(config, kubeconfig);
    for (const [name, text] of Object.entries(parsePageFiles(markdown))) writeFileSync(path.join(folder, name), text);
    const printed: string[] = [];
    for (const { command, output } of steps(markdown)) {
      const end = performance.now() + PATIENCE;
      let now = await run(command, folder, env);
      for (let before: string | undefined; READ_ONLY.test(command) && !enough(now, before, output, command) && performance.now() < end; ) {
        await delay(BETWEEN);
        before = now;
        now = await run(command, folder, env);
      }
      printed.push(now);
    }
    return printed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a shell command and resolves to stdout and stderr, whatever the exit code. */
function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) =>
    execFile("sh", ["-c", `${command} 2>&1`], { cwd, env, timeout: 120_000 }, (_, stdout) => resolve(stdout)),
  );
}

/** Returns true if the output equals what the page shows. */
export const matchesPage = (printed: string, _: string | undefined, expected: string, command: string) =>
  maskPageOutput(command, printed) === maskPageOutput(command, expected);
