import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../packages/cluster/src/index.ts";
import { answers, comparable, crdAnswer } from "../../packages/cluster/test/schema/answer.ts";
import { compact, type Golden, type GoldenCrd } from "../../packages/cluster/test/schema/golden.ts";
import type { Answer } from "../../packages/cluster/test/schema/suite.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { askAboutCrd, askAll } from "./ask.ts";
import { type Server, server } from "./http.ts";
import { crds, suites } from "./suites.ts";

const full = process.env["PINTLE_CONFORMANCE"] !== "sample";
const seed = Number(process.env["PINTLE_SEED"] ?? 0);
/** Of a sample every tenth, beginning somewhere else each day. */
const sampled = <T>(all: readonly T[]) => (full ? all : all.filter((_, i) => (i + seed) % 10 === 0));
const chosen = sampled(suites);
const chosenCrds = sampled(crds);
const golden = new URL("../../packages/cluster/test/schema/golden/", import.meta.url);

interface Answers {
  readonly objects: ReadonlyMap<string, readonly Answer[]>;
  readonly crds: ReadonlyMap<string, Answer>;
}

let plane: ControlPlane;
let real: Answers;

beforeAll(async () => {
  plane = await startControlPlane();
  real = await everything(await server(plane.kubeconfig));
  if (full) await keep(real);
}, 300_000);

afterAll(() => plane?.stop());

describe("the engine answers as a real server does", () => {
  test.each(chosen)("$name", (suite) => {
    const ours = answers(suite);
    for (const [i, theirs] of real.objects.get(suite.name)!.entries()) {
      expect(comparable(ours[i]!), suite.cases[i]!.name).toEqual(comparable(theirs));
    }
  });
  test.each(chosenCrds)("CRD: $name", ({ name, crd }) => {
    expect(comparable(crdAnswer(crd))).toEqual(comparable(real.crds.get(name)!));
  });
});

describe("the embedded server answers as a real server does", () => {
  let ours: Answers;

  beforeAll(async () => {
    await using cluster = await startCluster({ http: true, without: true });
    const file = join(plane.dir, "embedded.kubeconfig");
    await cluster.writeKubeconfig(file);
    ours = await everything(await server(file));
  }, 300_000);

  test.each(chosen)("$name", (suite) => {
    const theirs = real.objects.get(suite.name)!;
    for (const [i, mine] of ours.objects.get(suite.name)!.entries()) {
      expect(comparable(mine), suite.cases[i]!.name).toEqual(comparable(theirs[i]!));
    }
  });
  test.each(chosenCrds)("CRD: $name", ({ name }) => {
    expect(comparable(ours.crds.get(name)!)).toEqual(comparable(real.crds.get(name)!));
  });
});

async function everything(at: Server): Promise<Answers> {
  const objects = await askAll(at, chosen);
  const definitions = new Map<string, Answer>();
  for (const { name, crd } of chosenCrds) definitions.set(name, await askAboutCrd(at, crd));
  return { objects, crds: definitions };
}

/** The answers that tests compare with when there is no real server. */
async function keep({ objects, crds: definitions }: Answers): Promise<void> {
  const kept = suites.map((suite): Golden => ({ suite, answers: objects.get(suite.name)!.map(compact) }));
  const keptCrds = crds.map((one): GoldenCrd => ({ ...one, answer: compact(definitions.get(one.name)!) }));
  await writeFile(new URL("objects.json", golden), lines(kept));
  await writeFile(new URL("crds.json", golden), lines(keptCrds));
}

/** One line each, so that a change shows as one. */
function lines(list: readonly object[]): string {
  return `[\n${list.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
}
