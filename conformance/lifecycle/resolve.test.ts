import type {
  CatalogBundle,
  CatalogChannel,
  CatalogContent,
  CatalogDeprecations,
  ResolutionRequest,
  ResolvableCatalog,
} from "@pintle/lifecycle";
import { resolveBundle } from "@pintle/lifecycle/internal/resolve";
import { formatVersion } from "@pintle/lifecycle/internal/versions";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { findReference, Reference, type ReferenceResult } from "./reference.ts";

const file = findReference();

describe.runIf(file !== undefined)(`resolver, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  afterAll(() => reference.stop());

  test("chooses the same bundle or fails with the same text, for generated catalogs and requests", async () => {
    const { pick, int, chance, some } = createRandom(seed);
    const VERSIONS = [
      "0.1.0",
      "1.0.0",
      "1.0.1",
      "1.1.0",
      "1.1.0+2",
      "1.1.0+10",
      "1.2.0-rc.1",
      "2.0.0",
      "2.0.0+x_y",
      "not-a-version",
      "1.2",
    ];
    const nameOf = (version: string) => `op.v${version}`;

    const makeBundle = (version: string, catalog: string): CatalogBundle => ({
      schema: "olm.bundle",
      name: nameOf(version),
      package: "op",
      image: `registry.example.com/${catalog}/op:v${version}`,
      properties: [
        ...(chance(0.03) ? [] : [{ type: "olm.package", value: { packageName: "op", version } }]),
        ...(chance(0.05) ? [{ type: "olm.gvk.required", value: { group: "g", version: "v1", kind: "K" } }] : []),
      ],
    });
    const makeChannel = (name: string, versions: readonly string[]): CatalogChannel => ({
      schema: "olm.channel",
      name,
      package: "op",
      entries: some(versions).map((version) => ({
        name: nameOf(version),
        ...(chance(0.5) ? { replaces: nameOf(pick(VERSIONS)) } : {}),
        ...(chance(0.3) ? { skips: some(VERSIONS, 2).map(nameOf) } : {}),
        ...(chance(0.3) ? { skipRange: pick([">=1.0.0 <2.0.0", "<1.1.0", "1.x", "broken", ">=0.0.0-0"]) } : {}),
      })),
    });
    const makeDeprecations = (versions: readonly string[]): CatalogDeprecations => ({
      schema: "olm.deprecations",
      package: "op",
      entries: some(versions).map((version) => ({ reference: { schema: "olm.bundle", name: nameOf(version) }, message: "old" })),
    });
    const makeContent = (catalog: string): CatalogContent | undefined => {
      if (chance(0.1)) return undefined;
      const versions = some(VERSIONS);
      return {
        packages: [{ schema: "olm.package", name: "op", defaultChannel: "stable" }],
        channels: ["stable", "alpha"].map((name) => makeChannel(name, versions)),
        bundles: versions.map((version) => makeBundle(version, catalog)),
        deprecations: chance(0.4) ? [makeDeprecations(versions)] : [],
        others: [],
      };
    };
    const makeCatalog = (name: string): ResolvableCatalog => ({
      name,
      labels: { tier: pick(["a", "b"]) },
      priority: pick([0, 0, 1, -1]),
      available: !chance(0.1),
      content: makeContent(name),
    });

    for (let i = 0; i < (full ? 5_000 : 500); i++) {
      const catalogs = ["one", "two", "three"].slice(0, 1 + int(3)).map(makeCatalog);
      const installed = pick(VERSIONS);
      const request: ResolutionRequest = {
        packageName: "op",
        ...(chance(0.5) ? { version: pick(["1.x", ">=1.0.0", "1.1.0", "<2", "^1.0", "nonsense", ">=1.2.0-0", "9.x"]) } : {}),
        ...(chance(0.4) ? { channels: some(["stable", "alpha", "beta"]) } : {}),
        ...(chance(0.3) ? { selector: { matchLabels: { tier: "a" } } } : {}),
        ...(chance(0.2) ? { upgradeConstraintPolicy: "SelfCertified" } : {}),
        ...(chance(0.5) ? { installed: { name: nameOf(installed), version: installed } } : {}),
      };
      const { installed: current, ...source } = request;
      const real = await reference.ask({ op: "resolve", catalogs: catalogs.map(encodeCatalog), source, installed: current });
      expect({ i, request, ...resolveRequest(catalogs, request) }).toEqual({ i, request, ...real });
    }
  });
});

function encodeCatalog({ content, available, ...rest }: ResolvableCatalog): Record<string, unknown> {
  const blobs = content === undefined ? [] : Object.values(content).flat();
  return { ...rest, unavailable: available === false, content: blobs.map((blob) => JSON.stringify(blob)).join("\n") };
}

function resolveRequest(catalogs: readonly ResolvableCatalog[], request: ResolutionRequest): ReferenceResult {
  try {
    const { bundle, version, release, deprecations } = resolveBundle(catalogs, request);
    return {
      bundle: bundle.name,
      image: bundle.image,
      version: formatVersion(version),
      release: release.join("."),
      deprecated: deprecations !== undefined,
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
