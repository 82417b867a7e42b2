import { NotFound } from "pintle/client";
import { CommandError, type Io, type ParsedArguments, withProgress } from "../../command/index.ts";
import { openRepository, parseImageReference } from "../../image/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";
import { OPERATOR_FIELD_MANAGER } from "./operator-options.ts";

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
  const name = items.find(({ spec }) => spec.extensionName === extension)?.metadata.name ?? extension;
  const policy = { metadata: { name }, spec: { extensionName: extension, source: { type: "Image", image } } };
  await client.apply(ExtensionPolicyKind, policy as never, { fieldManager: OPERATOR_FIELD_MANAGER, force: true, signal });
}
