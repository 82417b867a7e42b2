import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { type BuildOptions, build, type Message } from "esbuild";
import { CommandError } from "../command/index.ts";

/**
 * Bundles a TypeScript file and the project files it imports into one JavaScript file; installed packages remain imports. The bundle is in
 * the project's `.pintle/`, so that Node resolves packages from there, and is deleted when the result is disposed.
 */
export async function bundle(root: string, entry: string): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = path.join(root, ".pintle", "run");
  const file = path.join(folder, `${path.basename(entry).replace(/\.[^.]+$/, "")}-${process.pid}-${randomUUID().slice(0, 8)}.mjs`);
  const accessError = (reason: string | undefined) =>
    new CommandError("PINTLE7028", `cannot write to ${folder} (${reason}): make the folder writable`);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw accessError(error.code);
  });
  await removeStaleBundles(folder);
  try {
    await build(bundleOptions(root, entry, file));
  } catch (error) {
    const messages = (error as { readonly errors?: readonly Message[] }).errors ?? [];
    const [first] = messages;
    if (first?.text.startsWith("Failed to write to output file")) throw accessError(first.text.split(": ").at(-1));
    throw new CommandError(
      "PINTLE7025",
      `${entry} does not compile:\n${messages.map((each) => `  ${formatBuildMessage(each)}`).join("\n")}`,
    );
  }
  return { file, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Deletes the bundles of processes that no longer exist. */
async function removeStaleBundles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /-(\d+)-[0-9a-f]{8}\.mjs$/.exec(name) ?? [];
    if (pid !== undefined && !isProcessAlive(Number(pid))) await rm(path.join(folder, name), { force: true });
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the esbuild options for an operator; installed packages remain imports. */
export function bundleOptions(root: string, entry: string, outfile: string): BuildOptions {
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

/** Formats an esbuild message as "file:line:column: text". */
export function formatBuildMessage({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}
