import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../packages/cluster/src/index.ts";
import { evaluateCrd, evaluateSuite, normalizeResponse } from "../../packages/cluster/test/schema/evaluate.ts";
import { compactResponse, type GoldenCrd, type GoldenSchemaSuite } from "../../packages/cluster/test/schema/golden-files.ts";
import type { SchemaResponse } from "../../packages/cluster/test/schema/suite.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { createServer, type HttpServer } from "./http.ts";
import { requestAll, requestCrd } from "./requests.ts";
import { crds, suites } from "./suites.ts";

const full = process.env["PINTLE_CONFORMANCE"] !== "sample";
const seed = Number(process.env["PINTLE_SEED"] ?? 0);
/** A sample is every tenth case, with an offset from the seed. */
const takeSample = <T>(all: readonly T[]) => (full ? all : all.filter((_, i) => (i + seed) % 10 === 0));
const chosen = takeSample(suites);
const chosenCrds = takeSample(crds);
const golden = new URL("../../packages/cluster/test/schema/golden/", import.meta.url);

interface ServerResponses {
  readonly objects: ReadonlyMap<string, readonly SchemaResponse[]>;
  readonly crds: ReadonlyMap<string, SchemaResponse>;
}

let plane: ControlPlane;
let real: ServerResponses;

beforeAll(async () => {
  plane = await startControlPlane();
  real = await requestEverything(await createServer(plane.kubeconfig));
  if (full) await writeRecorded(real);
}, 300_000);

afterAll(() => plane?.stop());

describe("the schema engine validates as a real server does", () => {
  test.each(chosen)("$name", (suite) => {
    const ours = evaluateSuite(suite);
    for (const [i, theirs] of real.objects.get(suite.name)!.entries()) {
      expect(normalizeResponse(ours[i]!), suite.cases[i]!.name).toEqual(normalizeResponse(theirs));
    }
  });
  test.each(chosenCrds)("CRD: $name", ({ name, crd }) => {
    expect(normalizeResponse(evaluateCrd(crd))).toEqual(normalizeResponse(real.crds.get(name)!));
  });
});

describe("the embedded server responds as a real server does", () => {
  let ours: ServerResponses;

  beforeAll(async () => {
    await using cluster = await startCluster({ http: true, without: true });
    const file = join(plane.dir, "embedded.kubeconfig");
    await cluster.writeKubeconfig(file);
    ours = await requestEverything(await createServer(file));
  }, 300_000);

  test.each(chosen)("$name", (suite) => {
    const theirs = real.objects.get(suite.name)!;
    for (const [i, mine] of ours.objects.get(suite.name)!.entries()) {
      expect(normalizeResponse(mine), suite.cases[i]!.name).toEqual(normalizeResponse(theirs[i]!));
    }
  });
  test.each(chosenCrds)("CRD: $name", ({ name }) => {
    expect(normalizeResponse(ours.crds.get(name)!)).toEqual(normalizeResponse(real.crds.get(name)!));
  });
});

async function requestEverything(at: HttpServer): Promise<ServerResponses> {
  const objects = await requestAll(at, chosen);
  const definitions = new Map<string, SchemaResponse>();
  for (const { name, crd } of chosenCrds) definitions.set(name, await requestCrd(at, crd));
  return { objects, crds: definitions };
}

/** Writes the responses that tests compare with when there is no real server. */
async function writeRecorded({ objects, crds: definitions }: ServerResponses): Promise<void> {
  const goldenSuites = suites.map((suite): GoldenSchemaSuite => ({ suite, responses: objects.get(suite.name)!.map(compactResponse) }));
  const keptCrds = crds.map((one): GoldenCrd => ({ ...one, response: compactResponse(definitions.get(one.name)!) }));
  await writeFile(new URL("objects.json", golden), lines(goldenSuites));
  await writeFile(new URL("crds.json", golden), lines(keptCrds));
}

/** One line each, for readable diffs. */
function lines(list: readonly object[]): string {
  return `[\n${list.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
}
