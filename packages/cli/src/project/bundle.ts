import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { type BuildOptions, build, type Message } from "esbuild";
import { CommandError } from "../command.ts";

/**
 * One JavaScript file of a TypeScript one and what it imports from its own project; installed packages stay imports.
 * It lies in the project's `.pintle/`, so that they are found, and goes with the returned value.
 */
export async function bundle(root: string, entry: string): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = path.join(root, ".pintle", "run");
  const file = path.join(folder, `${path.basename(entry).replace(/\.[^.]+$/, "")}-${randomUUID().slice(0, 8)}.mjs`);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`pintle: cannot write into ${path.join(root, ".pintle")} (${error.code}): make the folder writable`);
  });
  try {
    await build(bundling(root, entry, file));
  } catch (error) {
    throw new CommandError(
      `pintle: ${entry} does not compile:\n${((error as { errors?: Message[] }).errors ?? []).map((each) => `  ${sentence(each)}`).join("\n")}`,
    );
  }
  return { file, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
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
