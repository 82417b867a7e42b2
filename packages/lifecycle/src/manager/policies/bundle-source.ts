import type { BundleFiles } from "../../bundle/index.ts";
import { readBundle } from "../../bundle/index.ts";
import { parseMastermindsRange, parseVersion } from "../../versions/index.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError } from "../api/failures.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterExtension } from "../api/types.ts";
import type { RevisionMetadata } from "../extensions/revision-states.ts";
import { Hold } from "./hold.ts";
import { verifyBundleImage } from "./trust.ts";

const FOLDER = "folder:";

/** Reads the files of a bundle: from an image that the policy trusts, or from the folder that it names. */
export async function readBundleFiles(
  context: Pick<ManagerContext, "images">,
  policy: ExtensionPolicy,
  reference: string,
  signal: AbortSignal,
): Promise<BundleFiles> {
  const { images } = context;
  if (!reference.startsWith(FOLDER)) return images.pullBundle(await verifyBundleImage(context, policy, reference, signal), signal);
  const { name } = policy.metadata;
  if (policy.spec.trust !== undefined) throw new Hold("Untrusted", `ExtensionPolicy ${name} asks for signatures, and a folder has none`);
  if (images.readFolder === undefined)
    throw new Hold("InvalidPolicy", `ExtensionPolicy ${name}: this manager reads no bundles from folders`);
  return images.readFolder(reference.slice(FOLDER.length));
}

/** Returns the bundle that a policy names instead of a catalog. Throws `Hold` unless package and version are those of the extension. */
export async function resolveSource(
  context: Pick<ManagerContext, "images">,
  policy: ExtensionPolicy,
  { spec }: ClusterExtension,
  signal: AbortSignal,
): Promise<RevisionMetadata> {
  const { source } = policy.spec;
  const image = source?.type === "Folder" ? `${FOLDER}${source.folder}` : source!.image!;
  const { packageName, csv } = readBundle(await readBundleFiles(context, policy, image, signal));
  const wanted = spec.source.catalog!;
  const version = csv.spec?.version ?? "";
  const what = `ExtensionPolicy ${policy.metadata.name}: bundle ${image}`;
  if (packageName !== wanted.packageName) {
    throw new Hold("InvalidPolicy", `${what} is of package ${packageName}, and the extension has package ${wanted.packageName}`);
  }
  if (wanted.version !== undefined && wanted.version !== "" && !isInRange(wanted.version, version)) {
    throw new Hold("InvalidPolicy", `${what} has version ${version}, which is not in ${JSON.stringify(wanted.version)}`);
  }
  return { packageName, image, bundle: { name: csv.metadata?.name ?? "", version }, conditions: [] };
}

function isInRange(range: string, version: string): boolean {
  try {
    return parseMastermindsRange(range)(parseVersion(version));
  } catch (error) {
    throw new Hold("InvalidPolicy", describeError(error));
  }
}
