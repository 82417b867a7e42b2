import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type BundleFiles, readBundle, readBundleFolder } from "@pintle/lifecycle";
import { formatBlob, renderBundleBlob } from "@pintle/lifecycle/internal/catalog";
import { compareVersions, parseVersion } from "@pintle/lifecycle/internal/versions";
import {
  type ClusterExtension,
  ClusterExtensionKind,
  ClusterObjectSetKind,
  ExtensionPlanKind,
  ExtensionPolicyKind,
} from "@pintle/lifecycle/manager";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Namespace } from "pintle/kinds/core/v1";
import { conditionOf, type World } from "../../packages/cli/test/lifecycle/world.ts";

/** A package with the bundles that there are of it, the lowest version first. */
export interface RealPackage {
  readonly name: string;
  readonly bundles: readonly { readonly version: string; readonly files: BundleFiles }[];
}

/** What became of a package. */
export interface PackageOutcome {
  readonly name: string;
  readonly versions: readonly string[];
  /** Why it is not installed; undefined if it was. */
  readonly refused?: string;
  /** Undefined with only one version. */
  readonly upgraded?: boolean | string;
  /** Rights that an administrator had to approve for the upgrade. */
  readonly approved?: string;
}

/** Reads the bundles of `folder/PACKAGE/VERSION`. */
export function readPackages(folder: string): RealPackage[] {
  const list = (path: string) => readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return list(folder).map((name) => {
    const bundles = list(join(folder, name)).map((version) => {
      const files = readBundleFolder(join(folder, name, version));
      return { version: readBundle(files).csv.spec?.version ?? version, files };
    });
    return { name, bundles: bundles.sort((a, b) => compareVersions(parseVersion(a.version), parseVersion(b.version))) };
  });
}

const nameOf = ({ files }: RealPackage["bundles"][number]) => readBundle(files).csv.metadata?.name ?? "";
const imageOf = (name: string, version: string) => `example.com/bundles/${name}:v${version.replaceAll("+", "_")}`;

/** Publishes a package with one channel in which each version replaces the one before. Returns its name in the catalog. */
export function publishPackage(
  { images }: World,
  { name, bundles }: RealPackage,
): { readonly packageName: string; readonly catalog: string } {
  const packageName = readBundle(bundles[0]!.files).packageName;
  const entries = bundles.map((each, i) => ({ name: nameOf(each), ...(i === 0 ? {} : { replaces: nameOf(bundles[i - 1]!) }) }));
  const blobs = bundles.map(({ files, version }) => {
    images.bundles.set(imageOf(name, version), files);
    const { blob } = renderBundleBlob(files, imageOf(name, version));
    return JSON.parse(formatBlob(blob, "json")) as JsonObject;
  });
  const catalog = `example.com/${name}:latest`;
  images.catalogs.set(catalog, [
    { schema: "olm.package", name: packageName, defaultChannel: "all" },
    { schema: "olm.channel", name: "all", package: packageName, entries },
    ...blobs,
  ]);
  return { packageName, catalog };
}

/** The configuration that a bundle without the mode AllNamespaces needs. */
function configure(files: BundleFiles, namespace: string): object {
  const modes = (readBundle(files).csv.spec?.installModes ?? []).flatMap(({ type = "", supported }) => (supported === true ? [type] : []));
  if (modes.includes("AllNamespaces")) return {};
  const watchNamespace = modes.includes("OwnNamespace") ? namespace : "default";
  return { config: { configType: "Inline", inline: { watchNamespace } } };
}

/** Installs the first version of a package with derived rights, upgrades to the next one, and removes it. */
export async function liveThrough(world: World, real: RealPackage): Promise<PackageOutcome> {
  const { client } = world;
  const { name, bundles } = real;
  const versions = bundles.map(({ version }) => version);
  const namespace = `${name}-system`;
  const { packageName } = publishPackage(world, real);
  await client.create(Namespace, { metadata: { name: namespace } });
  await world.createCatalog(name);
  await world.waitForCatalog(name, (each) => conditionOf(each, "Serving").startsWith("True"));
  await client.create(ExtensionPolicyKind, {
    metadata: { name },
    spec: { extensionName: name, rights: "Derived", certificates: "Pintle" },
  });
  const catalog = { packageName, version: versions[0]!, selector: { matchLabels: { "olm.operatorframework.io/metadata.name": name } } };
  await client.create(ClusterExtensionKind, {
    metadata: { name },
    spec: { namespace, source: { sourceType: "Catalog", catalog }, ...configure(bundles[0]!.files, namespace) } as never,
  });
  const first = await settle(world, name, versions[0]!);
  let outcome: PackageOutcome = { name, versions };
  if (!isInstalled(first, versions[0]!)) outcome = { ...outcome, refused: conditionOf(first, "Progressing") };
  else if (versions[1] !== undefined) outcome = { ...outcome, ...(await upgrade(world, name, versions[1])) };
  const labels = { "olm.operatorframework.io/owner-name": name };
  await client.delete(ClusterExtensionKind, { name }, { propagation: "Foreground" });
  await client.waitForDeletion(ClusterExtensionKind, { name }, { timeout: 60_000 });
  for (const kind of [ClusterObjectSetKind, CustomResourceDefinition] as const) {
    for (const { metadata } of (await client.list(kind as typeof CustomResourceDefinition, { labels })).items)
      await client.waitForDeletion(kind as typeof CustomResourceDefinition, { name: metadata.name }, { timeout: 60_000 });
  }
  await client.delete(ExtensionPolicyKind, { name });
  await client.delete(Namespace, { name: namespace });
  return outcome;
}

async function upgrade({ ...world }: World, name: string, version: string): Promise<Pick<PackageOutcome, "upgraded" | "approved">> {
  const { client } = world;
  await client.patch(ClusterExtensionKind, { name }, { merge: { spec: { source: { catalog: { version } } } } });
  let current = await settle(world, name, version);
  let approved: string | undefined;
  if (conditionOf(current, "Progressing").startsWith("False/WaitingForRights")) {
    const { items } = await client.list(ExtensionPlanKind);
    const plan = items.find(({ spec }) => conditionOf(current, "Progressing").includes(spec.digest))!;
    approved = /and waits for approval: (.*); add sha256/s.exec(conditionOf(current, "Progressing"))?.[1] ?? "";
    await client.patch(ExtensionPolicyKind, { name }, { merge: { spec: { approved: [plan.spec.digest] } } });
    current = await settle(world, name, version, plan.spec.digest);
  }
  const upgraded = isInstalled(current, version) ? true : conditionOf(current, "Progressing");
  return { upgraded, ...(approved === undefined ? {} : { approved }) };
}

const isInstalled = ({ status }: ClusterExtension, version: string) => status?.install?.bundle.version === version;

/** Waits until a version is installed, or the manager says why not. `past` is in the condition that is over. */
async function settle(world: World, name: string, version: string, past?: string): Promise<ClusterExtension> {
  return world.waitForExtension(name, (extension) => {
    const progressing = extension.status?.conditions?.find(({ type }) => type === "Progressing");
    if (progressing === undefined || (progressing.observedGeneration ?? 0) < (extension.metadata.generation ?? 0)) return false;
    if (past !== undefined && progressing.message.includes(past)) return false;
    const waits = progressing.reason === "RollingOut";
    if (progressing.reason === "Succeeded")
      return isInstalled(extension, version) && (extension.status?.activeRevisions?.length ?? 1) === 1;
    return !waits;
  });
}

/** The reasons why packages could not be installed or upgraded, with the packages. */
export function formatOutcomes(outcomes: readonly PackageOutcome[]): string {
  const lines = outcomes.map(({ name, versions, refused, upgraded, approved }) => {
    const state =
      refused ??
      (upgraded === undefined ? "installed" : upgraded === true ? "installed, upgraded" : `installed, not upgraded: ${upgraded}`);
    return `${name} ${versions.join(" -> ")}: ${state.split("\n")[0]!.slice(0, 300)}${approved === undefined ? "" : `; approved: ${approved.slice(0, 200)}`}`;
  });
  return lines.join("\n");
}
