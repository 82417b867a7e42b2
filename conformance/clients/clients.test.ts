import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { builtFolder, getBuildState, sourceFolder } from "./build-state.ts";
import { type ClientProgram, programs } from "./programs.ts";
import { run } from "./run.ts";
import { parseTranscript, type TranscriptStep } from "./transcript.ts";

const minute = 60_000;
const { missing, impossible } = getBuildState();
for (const { name, tool } of impossible) console.warn(`\n!!! NOT COMPARED: ${name}: ${tool} is not on PATH, so it was not built\n`);

/** Operators and users in several languages observe the same on both servers. */
describe("unmodified clients", { timeout: 5 * minute }, () => {
  let folder: string;
  let real: ControlPlane;
  let embedded: Cluster;
  beforeAll(async () => {
    if (missing.length > 0) throw new Error(`${missing.map(({ name }) => name).join(", ")} not built. Run: npm run clients:build`);
    folder = await mkdtemp(join(tmpdir(), "pintle-clients-"));
    [real, embedded] = await Promise.all([startControlPlane({ nodes: 1 }), startCluster({ http: true })]);
    await embedded.ready;
    await embedded.writeKubeconfig(join(folder, "kubeconfig"));
  }, 2 * minute);
  afterAll(async () => {
    await Promise.all([real?.stop(), embedded?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  test.concurrent.each(programs.filter((program) => program.suite === undefined && !impossible.includes(program)))(
    "$name",
    async (program) => {
      const [onReal, onEmbedded] = await Promise.all([
        runProgram(program, real.kubeconfig),
        runProgram(program, join(folder, "kubeconfig")),
      ]);
      expect(onReal.length).toBeGreaterThan(20);
      expect(onEmbedded).toEqual(onReal);
    },
  );
});

async function runProgram(program: ClientProgram, kubeconfig: string): Promise<readonly TranscriptStep[]> {
  const [command = "", ...args] = program.command(builtFolder(program), sourceFolder(program));
  const output = await run(command, [...args, program.name], {
    folder: import.meta.dirname,
    env: { KUBECONFIG: kubeconfig },
    signal: AbortSignal.timeout(3 * minute),
  });
  return parseTranscript(output);
}
