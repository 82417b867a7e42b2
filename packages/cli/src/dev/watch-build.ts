import { rm } from "node:fs/promises";
import path from "node:path";
import { context } from "esbuild";
import { bundleOptions, formatBuildMessage } from "../project/index.ts";

export interface WatchBuild extends AsyncDisposable {
  /** The most recent bundle that compiled. */
  readonly file: string;
}

/** Bundles the entry file now and after every change of a source file that it imports. */
export async function watchBuild(
  root: string,
  entry: string,
  onBuild: (problems: readonly string[], first: boolean, file: string) => void,
): Promise<WatchBuild> {
  const file = path.join(root, ".pintle", "run", "dev.mjs");
  let isFirst = true;
  const bundler = await context({
    ...bundleOptions(root, entry, file),
    plugins: [
      {
        name: "report-build",
        setup: (build) =>
          build.onEnd(({ errors }) => {
            onBuild(errors.map(formatBuildMessage), isFirst, file);
            isFirst = false;
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
