import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "pintle/client";
import { startMeasured } from "../harness/process/measured-process.ts";
import { createDeployments, waitForNoEvents, waitForRollouts } from "./deployments.ts";

/** CPU in percent of a core, RSS in megabytes. */
export interface IdleClusterFigures {
  readonly CPU: number;
  readonly RSS: number;
}

const cliBin = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url));
/** Includes the garbage collection after the rollout, which takes about half a second of CPU. */
const SETTLE_MS = 60_000;

/** Measures `pintle cluster up` a minute after the rollout of many Deployments. */
export async function measureIdleCluster(deployments: number, seconds: number): Promise<IdleClusterFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-"));
  const kubeconfig = path.join(folder, "kubeconfig");
  const program = startMeasured(
    process.execPath,
    [cliBin, "cluster", "up", "--nodes", "3", "--kubeconfig", kubeconfig],
    {},
    path.join(folder, "log"),
  );
  try {
    while (!(await program.readLine()).startsWith("Press Ctrl-C"));
    const client = await connect({ kubeconfig, onWarning: () => {} });
    await createDeployments(client, deployments);
    await waitForRollouts(client, deployments);
    await waitForNoEvents(client);
    await client.close();
    await delay(SETTLE_MS);
    const used = program.cpuSeconds();
    await delay(seconds * 1000);
    return { CPU: (100 * (program.cpuSeconds() - used)) / seconds, RSS: program.readMemory().rssMb };
  } finally {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
