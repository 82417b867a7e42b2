import { rm } from "node:fs/promises";
import path from "node:path";
import { context, type Message } from "esbuild";

export interface Rebuilds extends AsyncDisposable {
  /** The bundle that is always the newest that compiled. */
  readonly file: string;
}

/** Bundles the entry file now and whenever something it imports from the project changes. */
export async function rebuild(
  root: string,
  entry: string,
  built: (problems: readonly string[], first: boolean) => void,
): Promise<Rebuilds> {
  const file = path.join(root, ".pintle", "run", "dev.mjs");
  let first = true;
  const bundler = await context({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: "inline",
    logLevel: "silent",
    plugins: [
      {
        name: "told",
        setup: (build) =>
          build.onEnd(({ errors }) => {
            built(errors.map(sentence), first);
            first = false;
          }),
      },
    ],
  });
  await bundler.watch();
  return {
    file,
    async [Symbol.asyncDispose]() {
      await bundler.dispose();
      await rm(file, { force: true });
    },
  };
}

export function sentence({ text, location }: Message): string {
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}
