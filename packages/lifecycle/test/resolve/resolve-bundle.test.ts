import { expect, test } from "vitest";
import { type CatalogContent, type ChannelEntry, ResolutionError, type ResolvableCatalog, resolveBundle } from "../../src/index.ts";

function content(versions: readonly string[], entries: readonly ChannelEntry[], deprecated: readonly string[] = []): CatalogContent {
  return {
    packages: [{ schema: "olm.package", name: "op", defaultChannel: "stable" }],
    channels: [{ schema: "olm.channel", name: "stable", package: "op", entries }],
    bundles: versions.map((version) => ({
      schema: "olm.bundle",
      name: `op.v${version}`,
      package: "op",
      image: `example.com/op:v${version}`,
      properties: [{ type: "olm.package", value: { packageName: "op", version } }],
    })),
    deprecations:
      deprecated.length === 0
        ? []
        : [
            {
              schema: "olm.deprecations",
              package: "op",
              entries: deprecated.map((version) => ({ reference: { schema: "olm.bundle", name: `op.v${version}` }, message: "old" })),
            },
          ],
    others: [],
  };
}

const versions = ["1.0.0", "1.1.0", "2.0.0"];
const graph = [{ name: "op.v1.0.0" }, { name: "op.v1.1.0", replaces: "op.v1.0.0" }, { name: "op.v2.0.0", skipRange: ">=1.1.0 <2.0.0" }];
const catalog = (name: string, rest: Partial<ResolvableCatalog> = {}): ResolvableCatalog => ({
  name,
  content: content(versions, graph),
  ...rest,
});

test("without constraints, the highest version is chosen", () => {
  const { bundle, candidates } = resolveBundle([catalog("a")], { packageName: "op" });
  expect(bundle.name).toBe("op.v2.0.0");
  expect(candidates.filter(({ removedBy }) => removedBy === undefined)).toHaveLength(1);
});

test("an upgrade follows the edges of the graph, unless the user certifies it", () => {
  const installed = { name: "op.v1.0.0", version: "1.0.0" };
  expect(resolveBundle([catalog("a")], { packageName: "op", installed }).bundle.name).toBe("op.v1.1.0");
  const request = { packageName: "op", installed, upgradeConstraintPolicy: "SelfCertified" } as const;
  expect(resolveBundle([catalog("a")], request).bundle.name).toBe("op.v2.0.0");
});

test("a deprecated bundle is chosen only if no other fits", () => {
  const deprecated = catalog("a", { content: content(versions, graph, ["2.0.0"]) });
  expect(resolveBundle([deprecated], { packageName: "op" }).bundle.name).toBe("op.v1.1.0");
  expect(resolveBundle([deprecated], { packageName: "op", version: "2.x" }).bundle.name).toBe("op.v2.0.0");
});

test("catalogs of equal priority that both have the bundle are an error that names them; priority decides otherwise", () => {
  expect(() => resolveBundle([catalog("b"), catalog("a")], { packageName: "op" })).toThrow(
    new ResolutionError('found bundles for package "op" in multiple catalogs with the same priority [a b]', []).message,
  );
  expect(resolveBundle([catalog("b"), catalog("a", { priority: 1 })], { packageName: "op" }).catalog).toBe("a");
});

test("a request that nothing fits fails with every condition in the text, and says which rule removed each bundle", () => {
  const installed = { name: "op.v1.0.0", version: "1.0.0" };
  let failure: unknown;
  try {
    resolveBundle([catalog("a")], { packageName: "op", version: ">=2.0.0", channels: ["stable"], installed });
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(ResolutionError);
  const { message, candidates } = failure as ResolutionError;
  expect(message).toBe(
    'error upgrading from currently installed version "1.0.0": no bundles found for package "op" matching version ">=2.0.0" in channels [stable]',
  );
  expect(candidates).toEqual([
    { catalog: "a", bundle: "op.v1.0.0", removedBy: "not in the version range" },
    { catalog: "a", bundle: "op.v1.1.0", removedBy: "not in the version range" },
    { catalog: "a", bundle: "op.v2.0.0", removedBy: "no upgrade from the installed bundle" },
  ]);
});
