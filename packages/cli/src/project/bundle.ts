import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { type BuildOptions, build, type Message } from "esbuild";
import { CommandError } from "../command.ts";

/**
 * One JavaScript file of a TypeScript one and what it imports from its own project; installed packages stay imports.
 * It lies in the project's `.pintle/`, so that they are found, and goes with the returned value.
 */
export async function bundle(root: string, entry: string): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = path.join(root, ".pintle", "run");
  const file = path.join(folder, `${path.basename(entry).replace(/\.[^.]+$/, "")}-${process.pid}-${randomUUID().slice(0, 8)}.mjs`);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`pintle: cannot write into ${path.join(root, ".pintle")} (${error.code}): make the folder writable`);
  });
  await sweep(folder);
  try {
    await build(bundling(root, entry, file));
  } catch (error) {
    throw new CommandError(
      `pintle: ${entry} does not compile:\n${((error as { errors?: Message[] }).errors ?? []).map((each) => `  ${sentence(each)}`).join("\n")}`,
    );
  }
  return { file, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Takes away what commands left that were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /-(\d+)-[0-9a-f]{8}\.mjs$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path.join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** How an operator's own files become one; installed packages stay imports. */
export function bundling(root: string, entry: string, outfile: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: "inline",
    logLevel: "silent",
  };
}

/** Where a compiler met what. */
export function sentence({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}
