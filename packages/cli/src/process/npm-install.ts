import { spawn } from "node:child_process";
import { CommandError, type Io, withProgress } from "../command/index.ts";

/** Runs `npm install`, with the npm that started this process if there is one. Resolves with the duration in seconds. */
export async function npmInstall(folder: string, displayPath: string, io: Io): Promise<number> {
  const startedAt = performance.now();
  const { code, output } = await withProgress(io, "installing dependencies", runNpmInstall(folder, io.signal));
  if (code === 0) return (performance.now() - startedAt) / 1000;
  io.signal.throwIfAborted();
  io.err(output);
  throw new CommandError(
    "PINTLE7031",
    `npm install failed in ${displayPath} (output above). The project files were written: fix the problem and run npm install again`,
  );
}

function runNpmInstall(cwd: string, signal: AbortSignal): Promise<{ readonly code: number | null; readonly output: string }> {
  const [program, before, shell] = npmCommand(process.env["npm_execpath"]);
  const child = spawn(program, [...before, "install", "--no-audit", "--no-fund"], {
    cwd,
    shell,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, output }));
    child.once("error", (error) => resolve({ code: null, output: `${output}${error.message}\n` }));
  });
}

/** Runs npm's script with Node if its path is known; on Windows, `npm` is a script that needs a shell. */
function npmCommand(file: string | undefined): readonly [program: string, before: readonly string[], shell: boolean] {
  return file !== undefined && /npm-cli\.[cm]?js$/.test(file)
    ? [process.execPath, [file], false]
    : ["npm", [], process.platform === "win32"];
}
