import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "pintle/client";
import { measured } from "../frame/measured.ts";
import { create, quiet, settled } from "./crowd.ts";

/** Per cent of a core, and megabytes. */
export interface Resting {
  readonly CPU: number;
  readonly RSS: number;
}

const bin = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url));
/** By then it has tidied up, once, which takes half a second or so of CPU. */
const CALM_MS = 60_000;

/** What `pintle cluster up` costs when a crowd has settled in it and nothing happens any more. */
export async function resting(deployments: number, seconds: number): Promise<Resting> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-"));
  const kubeconfig = path.join(folder, "kubeconfig");
  const program = measured(
    process.execPath,
    [bin, "cluster", "up", "--nodes", "3", "--kubeconfig", kubeconfig],
    {},
    path.join(folder, "log"),
  );
  try {
    while (!(await program.line()).startsWith("Ctrl-C"));
    const client = await connect({ kubeconfig, onWarning: () => {} });
    await create(client, deployments);
    await settled(client, deployments);
    await quiet(client);
    await client.close();
    await delay(CALM_MS);
    const used = program.cpu();
    await delay(seconds * 1000);
    return { CPU: (100 * (program.cpu() - used)) / seconds, RSS: program.memory().rssMb };
  } finally {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
