/** Runs every command of every guide as a reader would type it: in the sample's folder, with kubectl, while `pintle dev` runs. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFailed } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { binaries } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { comparable, steps } from "./console.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const WITHIN = 60_000;
/** Read-only commands are retried until they print what the guide shows, because controllers need time to converge. */
const AGAIN = 100;
const READ_ONLY = /^kubectl get /;

const GUIDES = ["application", "cronjob", "imoocpod", "memcached"];

/** Every guide with `--full`, else one of them. */
describe.each(full ? GUIDES : GUIDES.slice(seed % GUIDES.length).slice(0, 1))("docs/guides/%s.md", (name) => {
  it("shows the output that its commands print", { timeout: 240_000 }, async () => {
    using here = createTestProject(filesOf(path.join(root, "examples", name)));
    const ending = new AbortController();
    let output = "";
    const append = (text: string) => {
      output += text;
    };
    onTestFailed(() => console.log(output));
    const dev = main(["dev"], { out: append, err: append, tty: false, cwd: here.root, signal: ending.signal });
    try {
      await expect.poll(() => output, { timeout: WITHIN }).toContain("operator started: src/main.ts");
      const env = {
        ...process.env,
        KUBECONFIG: path.join(here.root, ".pintle/kubeconfig"),
        PATH: `${binaries().folder}${path.delimiter}${process.env["PATH"]}`,
      };
      for (const { command, output, line } of steps(readFileSync(path.join(root, `docs/guides/${name}.md`), "utf8"))) {
        const until = performance.now() + WITHIN;
        let printed = await runShell(command, here.root, env);
        while (READ_ONLY.test(command) && comparable(printed) !== comparable(output) && performance.now() < until) {
          await delay(AGAIN);
          printed = await runShell(command, here.root, env);
        }
        expect(comparable(printed), `line ${line}: ${command}\n${printed}`).toBe(comparable(output));
      }
    } finally {
      ending.abort();
      await dev;
    }
  });
});

/** Returns the content of every file of a sample. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  const own = files.filter((file) => !/^(node_modules|\.pintle)\//.test(file));
  return Object.fromEntries(own.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
}

/** Runs a shell command and resolves to stdout and stderr, whatever the exit code. */
function runShell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => execFile("sh", ["-c", `${command} 2>&1`], { cwd, env, timeout: 60_000 }, (_, stdout) => resolve(stdout)));
}
