/** The validator of the SPDX project, in a virtual environment of Python in the cache folder: `npm run lifecycle:build`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { progress } from "../real/build/progress.ts";
import { withScratch } from "../real/scratch.ts";

const SPDX_TOOLS = "spdx-tools==0.8.3";
const run = promisify(execFile);

function spdxToolsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pintle", "lifecycle", SPDX_TOOLS);
}

/** Installs the validator if it is missing. */
export async function buildSpdxTools(signal: AbortSignal): Promise<void> {
  const folder = spdxToolsFolder();
  if (!existsSync(folder)) {
    const scratch = join(dirname(folder), "building-spdx-tools");
    const onWait = () => process.stderr.write("Another build is running; waiting for it.\n");
    await withScratch(scratch, { signal, onWait }, async () => {
      const done = progress(SPDX_TOOLS);
      const environment = join(scratch, "environment");
      await run("python3", ["-m", "venv", environment], { signal });
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", SPDX_TOOLS];
      await run(join(environment, "bin", "python"), install, { signal });
      await mkdir(dirname(folder), { recursive: true });
      await rename(environment, folder);
      done("built in");
    });
  }
  process.stdout.write(`${folder}\n`);
}

/** Returns what is wrong with a document; the empty text for a valid one. Undefined, with a loud message, if the validator is not built. */
export function findSpdxValidator(): ((file: string) => Promise<string>) | undefined {
  const python = join(spdxToolsFolder(), "bin", "python");
  if (!existsSync(python)) {
    console.warn("\n!!! lifecycle: NO SPDX DOCUMENT WAS VALIDATED: spdx-tools is missing. Build it with: npm run lifecycle:build\n");
    return undefined;
  }
  return async (file) => {
    try {
      await run(python, ["-m", "spdx_tools.spdx.clitools.pyspdxtools", "-i", file]);
      return "";
    } catch (error) {
      return (error as { readonly stderr: string }).stderr;
    }
  };
}
