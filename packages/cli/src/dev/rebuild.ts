import { rm } from "node:fs/promises";
import path from "node:path";
import { context } from "esbuild";
import { bundling, sentence } from "../project/index.ts";

export interface Rebuilds extends AsyncDisposable {
  /** The bundle that is always the newest that compiled. */
  readonly file: string;
}

/** Bundles the entry file now and whenever something it imports from the project changes. */
export async function rebuild(
  root: string,
  entry: string,
  built: (problems: readonly string[], first: boolean, file: string) => void,
): Promise<Rebuilds> {
  const file = path.join(root, ".pintle", "run", "dev.mjs");
  let first = true;
  const bundler = await context({
    ...bundling(root, entry, file),
    plugins: [
      {
        name: "told",
        setup: (build) =>
          build.onEnd(({ errors }) => {
            built(errors.map(sentence), first, file);
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
