/** Bundles of real operators: installed with derived rights, upgraded and removed on a simulated cluster. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, type World } from "../../packages/cli/test/lifecycle/world.ts";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { findRealBundles } from "./published.ts";
import { formatOutcomes, liveThrough, type PackageOutcome, readPackages } from "./real-bundles.ts";

const folder = findRealBundles();
const SAMPLE = 4;
/** Why OLM v1 does not install or upgrade a bundle. */
const REASONS = [
  /no matches for kind "CustomResourceDefinition" in version "apiextensions\.k8s\.io\/v1beta1"/,
  /has a dependency declared via property "olm\.(gvk|package)\.required" which is currently not supported/,
  /duplicate object also found in phases/,
  /spec\.phases\[\d+\]\.objects: Too many: \d+: must have at most 50 items/,
  /validating upgrade for CRD/,
];

describe.runIf(folder !== undefined)(`bundles of real operators, seed ${seed}`, () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ nodes: 3 });
    await world.startManager({ gates: { SingleOwnNamespaceInstallSupport: true } });
  }, 60_000);
  afterAll(() => world[Symbol.asyncDispose]());

  test("are installed with derived rights, upgraded and removed, or refused for a reason that upstream has", {
    timeout: 3_600_000,
  }, async () => {
    const packages = readPackages(folder!);
    const random = createRandom(seed);
    const chosen = full
      ? packages
      : Array.from({ length: SAMPLE }, () => random.pick(packages)).filter((each, i, all) => all.indexOf(each) === i);
    const outcomes: PackageOutcome[] = [];
    for (const real of chosen) outcomes.push(await liveThrough(world, real));
    console.info(formatOutcomes(outcomes));
    const refusals = outcomes.flatMap(({ name, refused, upgraded }) => {
      const why = refused ?? (typeof upgraded === "string" ? upgraded : undefined);
      return why === undefined ? [] : [{ name, why }];
    });
    expect(refusals.filter(({ why }) => !REASONS.some((reason) => reason.test(why)))).toEqual([]);
    if (full) expect(outcomes.filter(({ refused }) => refused === undefined).length).toBeGreaterThanOrEqual(40);
  });
});
