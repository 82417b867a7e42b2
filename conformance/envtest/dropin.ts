import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface Dropin extends AsyncDisposable {
  /** For KUBEBUILDER_ASSETS. */
  readonly assets: string;
}

const cluster = fileURLToPath(new URL("../../packages/cluster/", import.meta.url));

/** Builds the drop-in executables as they are published, from the current sources. */
export async function buildDropin(): Promise<Dropin> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-dropin-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      entryPoints: [join(cluster, "src/dropin/kube-apiserver.ts"), join(cluster, "src/dropin/etcd.ts")],
      outdir: join(folder, "dist/dropin"),
      bundle: true,
      splitting: true,
      chunkNames: "shared/[hash]",
      format: "esm",
      platform: "node",
      target: "node20.19",
      conditions: ["@pintle/source"],
      logLevel: "warning",
    });
    await cp(join(cluster, "assets"), join(folder, "assets"), { recursive: true });
    await cp(join(cluster, "package.json"), join(folder, "package.json"));
    return { assets: join(folder, "assets"), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
