import type { BundleFiles } from "@pintle/lifecycle";
import { openRepository, parseImageReference, pushImage } from "@pintle/lifecycle/internal/image";
import { buildScratchImage } from "../../packages/cli/src/image/index.ts";
import { createBundle, createCatalog } from "../../packages/cli/test/lifecycle/bundles.ts";

/** The package of the Memcached operator in the catalog of the tests. */
export const PACKAGE = "memcached-operator";
/** Each version replaces the one before; the pods of the last one fit on no node. */
export const VERSIONS = ["0.1.0", "0.2.0", "0.3.0"] as const;
/** The CRD that all versions have. */
export const DEFINITION = "memcacheds.cache.example.com";

const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/ops\.example\.com/g, DEFINITION],
  [/"group":"example\.com"/g, '"group":"cache.example.com"'],
  [/"apiGroups":\["example\.com"\]/g, '"apiGroups":["cache.example.com"]'],
  [/"ops"/g, '"memcacheds"'],
  [/"Op"/g, '"Memcached"'],
  [/"OpList"/g, '"MemcachedList"'],
  [/"singular":"op"/g, '"singular":"memcached"'],
  [/"op-manager"/g, '"memcached-operator-controller-manager"'],
];

function createMemcachedBundle(version: string): BundleFiles {
  const isUnschedulable = version === VERSIONS.at(-1);
  const files = createBundle(version, { packageName: PACKAGE, isUnschedulable, configMaps: [`config-of-${version.replaceAll(".", "-")}`] });
  const rename = (data: Buffer) => Buffer.from(RENAMED.reduce((text, [from, to]) => text.replace(from, to), data.toString()));
  return new Map([...files].map(([path, data]) => [path, rename(Buffer.from(data))]));
}

/** Publishes the bundles, and a catalog of them. Returns the reference of the catalog. */
export async function publishMemcached(registry: string): Promise<string> {
  for (const version of VERSIONS) await pushFiles(`${registry}/bundles/${PACKAGE}:v${version}`, createMemcachedBundle(version), {});
  const blobs = createCatalog(
    VERSIONS.map((version, i) => ({ version, ...(i === 0 ? {} : { replaces: VERSIONS[i - 1]! }) })),
    [],
    PACKAGE,
  );
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  const catalog = `${registry}/catalog:v1`;
  const files = new Map([["configs/catalog.json", Buffer.from(text.replaceAll("example.com/bundles/", `${registry}/bundles/`))]]);
  await pushFiles(catalog, files, { "operators.operatorframework.io.index.configs.v1": "/configs" });
  return catalog;
}

/** Publishes files as an image. */
export async function pushFiles(image: string, files: BundleFiles, labels: Readonly<Record<string, string>>): Promise<void> {
  const reference = parseImageReference(image);
  const entries = [...files].map(([path, data]) => ({ path, mode: 0o644, data }));
  const repository = openRepository(reference, { insecure: true, signal: AbortSignal.timeout(30_000) });
  await pushImage(repository, buildScratchImage(entries, labels), reference.reference);
}
