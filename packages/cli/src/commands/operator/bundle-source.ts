import type { ClusterExtension, ExtensionPolicy } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { CommandError, type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { openRepository, parseImageReference } from "../../image/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";
import { OPERATOR_FIELD_MANAGER } from "./operator-options.ts";

/** Labels of a policy that exists only for the source of a bundle. */
const MANAGED_BY = "app.kubernetes.io/managed-by";
const OWN_POLICY_LABELS = { [MANAGED_BY]: OPERATOR_FIELD_MANAGER };

/** A bundle that is installed without a catalog. */
export interface BundleArgument {
  readonly image: string;
  readonly packageName: string;
  readonly version: string;
}

/** Reads the bundle of `--bundle`: its package and version become those of the extension. */
export async function readBundleArgument({ values, positionals }: ParsedArguments, io: Io): Promise<BundleArgument> {
  const other = ["version", "channel", "catalog"].find((name) => values[name] !== undefined);
  if (other !== undefined) throw new CommandError("PINTLE7006", `--bundle and --${other} cannot be combined`, 2);
  if (positionals.length > 0) throw new CommandError("PINTLE7006", "--bundle names the package: leave out the argument", 2);
  const { readBundle, readBundleImage, resolveImage } = await import("@pintle/lifecycle");
  const image = String(values["bundle"]);
  const reference = parseImageReference(image);
  const repository = openRepository(reference, { insecure: values["insecure-registry"] === true, signal: io.signal });
  const read = resolveImage(repository, reference.reference).then(async (resolved) => readBundle(await readBundleImage(resolved)));
  const { packageName, csv } = await withProgress(io, `reading ${image}`, read);
  return { image, packageName, version: csv.spec?.version ?? "" };
}

/** Makes the bundle the source of an extension, by the policy that names the extension. */
export async function applyBundleSource({ client, description }: TargetCluster, extension: string, image: string, signal: AbortSignal) {
  const { ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
  const { items } = await client.list(ExtensionPolicyKind, { signal }).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new CommandError(
      "PINTLE7104",
      `${description} does not serve ExtensionPolicy: only Pintle's manager installs bundles without a catalog. Install it with 'pintle operator setup'`,
    );
  });
  const existing = items.find(({ spec }) => spec.extensionName === extension)?.metadata;
  const name = existing?.name ?? extension;
  const isOwn = existing === undefined || existing.labels?.[MANAGED_BY] === OPERATOR_FIELD_MANAGER;
  const labels = isOwn ? { labels: OWN_POLICY_LABELS } : {};
  const policy = { metadata: { name, ...labels }, spec: { extensionName: extension, source: { type: "Image", image } } };
  await client.apply(ExtensionPolicyKind, policy as never, { fieldManager: OPERATOR_FIELD_MANAGER, force: true, signal });
}

/** Finds the policy that names a bundle for an extension, so that no catalog is asked; undefined if there is none. */
export async function findBundleSource(
  { client }: TargetCluster,
  metadata: Pick<ClusterExtension["metadata"], "name" | "labels">,
  signal: AbortSignal,
): Promise<ExtensionPolicy | undefined> {
  const { ExtensionPolicyKind, selectPolicy } = await import("@pintle/lifecycle/internal/manager");
  const { items } = await client.list(ExtensionPolicyKind, { signal }).catch((error: unknown) => {
    if (error instanceof NotFound) return { items: [] };
    throw error;
  });
  try {
    const policy = selectPolicy(items, { metadata } as ClusterExtension);
    return policy?.spec.source === undefined ? undefined : policy;
  } catch (error) {
    // Ambiguous or invalid policies, which the manager would not follow either.
    throw new CommandError("PINTLE7101", `${(error as Error).message}. Nothing was changed`);
  }
}

/** Throws an error that says what to do if a policy names the bundle of an extension that is to come from a catalog: the policy would win. */
export async function refuseBundleSource(
  cluster: TargetCluster,
  metadata: Pick<ClusterExtension["metadata"], "name" | "labels">,
  signal: AbortSignal,
): Promise<void> {
  const policy = await findBundleSource(cluster, metadata, signal);
  if (policy === undefined) return;
  const { name } = policy.metadata;
  const { image, folder } = policy.spec.source!;
  throw new CommandError(
    "PINTLE7109",
    `ExtensionPolicy ${name} names the bundle of extension ${metadata.name}, ${image ?? `folder ${folder}`}, so no catalog is asked. Nothing was changed. ` +
      `Install another bundle with 'pintle operator install --bundle IMAGE', or return to catalogs first: ` +
      `kubectl patch extensionpolicy ${name} --type merge -p '{"spec":{"source":null}}'`,
  );
}

/** Deletes the policy that `applyBundleSource` has created for an extension, so that a later installation is one from a catalog. Returns its name. */
export async function deleteBundleSource({ client }: TargetCluster, extension: string, signal: AbortSignal): Promise<string | undefined> {
  const { ExtensionPolicyKind } = await import("@pintle/lifecycle/manager");
  const { items } = await client.list(ExtensionPolicyKind, { labels: OWN_POLICY_LABELS, signal }).catch((error: unknown) => {
    if (error instanceof NotFound) return { items: [] };
    throw error;
  });
  const own = items.find(({ spec }) => spec.extensionName === extension)?.metadata;
  if (own === undefined) return undefined;
  await client.delete(ExtensionPolicyKind, { name: own.name }, { uid: own.uid, signal });
  return own.name;
}
