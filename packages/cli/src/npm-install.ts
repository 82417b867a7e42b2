import { spawn } from "node:child_process";
import { CommandError, type Io } from "./command.ts";
import { progress } from "./progress.ts";

/** Installs what a project asks for, with the npm that started us where one did. Resolves with how many seconds it took. */
export async function npmInstall(folder: string, shown: string, io: Io): Promise<number> {
  const began = performance.now();
  const { code, said } = await progress(io, "installing dependencies", installed(folder, io.signal));
  if (code === 0) return (performance.now() - began) / 1000;
  io.signal.throwIfAborted();
  io.err(said);
  throw new CommandError(
    `pintle init: the files are in ${shown}, but npm install failed there: look at what it says above, then run it again`,
  );
}

function installed(cwd: string, signal: AbortSignal): Promise<{ readonly code: number | null; readonly said: string }> {
  const [program, before, shell] = npm(process.env["npm_execpath"]);
  const child = spawn(program, [...before, "install", "--no-audit", "--no-fund"], {
    cwd,
    shell,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, said }));
    child.once("error", (error) => resolve({ code: null, said: `${said}${error.message}\n` }));
  });
}

/** Not by its name where its file is known: on Windows the name is that of a script, which only a shell can start. */
function npm(file: string | undefined): readonly [program: string, before: readonly string[], shell: boolean] {
  return file !== undefined && /npm-cli\.[cm]?js$/.test(file)
    ? [process.execPath, [file], false]
    : ["npm", [], process.platform === "win32"];
}
