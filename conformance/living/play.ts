import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "../controllers/servers.ts";
import { steps } from "../guides/console.ts";
import { binaries } from "../real/index.ts";
import { files, steady } from "./page.ts";

/** What only looks may be asked again: things take their time. */
const LOOKS = /^kubectl (get|describe|events) /;
const BETWEEN = 200;
const PATIENCE = 60_000;

/** Plays the commands of a page; those that look, until `enough` says that it has seen them. Resolves to what they printed. */
export async function play(
  markdown: string,
  { kubeconfig }: Server,
  enough: (printed: string, before: string | undefined, expected: string, command: string) => boolean,
): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-living-"));
  const config = path.join(folder, "kubeconfig");
  const env = { ...process.env, KUBECONFIG: config, PATH: `${binaries().folder}${path.delimiter}${process.env["PATH"]}` };
  try {
    writeFileSync(config, kubeconfig);
    for (const [name, text] of Object.entries(files(markdown))) writeFileSync(path.join(folder, name), text);
    const printed: string[] = [];
    for (const { command, output } of steps(markdown)) {
      const end = performance.now() + PATIENCE;
      let now = await run(command, folder, env);
      for (let before: string | undefined; LOOKS.test(command) && !enough(now, before, output, command) && performance.now() < end; ) {
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

/** What a shell shows: both outputs, whatever the exit code. */
function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) =>
    execFile("sh", ["-c", `${command} 2>&1`], { cwd, env, timeout: 120_000 }, (_, stdout) => resolve(stdout)),
  );
}

/** It looks as the page says. */
export const asWritten = (printed: string, _: string | undefined, expected: string, command: string) =>
  steady(command, printed) === steady(command, expected);
