import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type Kubeconfig, loadClusterAccess } from "pintle/client";
import { seededRandom } from "pintle/internal/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binary } from "../real/index.ts";

const run = promisify(execFile);
const random = seededRandom(Number(process.env["PINTLE_SEED"] ?? 1));
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const randomSubset = <T>(from: readonly T[]): readonly T[] => from.filter(() => random() < 0.6);

/** A kubeconfig with random partial entries of three names. */
function kubeconfig(file: number, folder: string): object {
  const names = ["a", "b", "c"];
  return {
    apiVersion: "v1",
    kind: "Config",
    ...(random() < 0.7 ? { "current-context": pick([...names, ""]) } : {}),
    clusters: randomSubset(names).map((name) => ({
      name,
      cluster: {
        server: `https://${name}${file}`,
        ...(random() < 0.5 ? { "certificate-authority": join(folder, `ca-${name}.crt`) } : {}),
        ...(random() < 0.3 ? { "tls-server-name": name } : {}),
      },
    })),
    users: randomSubset(names).map((name) => ({
      name,
      user: random() < 0.5 ? { token: `${name}${file}` } : { tokenFile: join(folder, `${name}.token`) },
    })),
    contexts: randomSubset(names).map((name) => ({
      name,
      context: { cluster: pick(names), user: pick(names), ...(random() < 0.5 ? { namespace: `n${file}` } : {}) },
    })),
  };
}

const MIN_OUTCOMES = 4;
const MAX_ROUNDS = 300;

describe("KUBECONFIG lists", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pintle-merge-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("are merged like kubectl does", async () => {
    const outcomes = { same: 0, refused: 0 };
    // Until both outcomes were compared: how often each comes is a matter of the seed.
    for (let round = 0; round < 30 || Math.min(outcomes.same, outcomes.refused) < MIN_OUTCOMES; round++) {
      expect(round).toBeLessThan(MAX_ROUNDS);
      const files = await Promise.all(
        [0, 1, 2].map(async (file) => {
          const path = join(folder, `${round}-${file}`);
          await writeFile(path, JSON.stringify(kubeconfig(file, folder)));
          return path;
        }),
      );
      const KUBECONFIG = files.join(delimiter);
      const { stdout } = await run(binary("kubectl"), ["config", "view", "--raw", "-o", "json"], { env: { ...process.env, KUBECONFIG } });
      const theirs = await loadClusterAccess({ kubeconfig: JSON.parse(stdout) as Kubeconfig }).catch((error: Error) => error);
      const ours = await loadClusterAccess({ env: { KUBECONFIG } }).catch((error: Error) => error);
      if (theirs instanceof Error) {
        expect(ours).toBeInstanceOf(Error);
        outcomes.refused++;
      } else {
        expect(ours).toEqual(theirs);
        outcomes.same++;
      }
    }
  });
});
