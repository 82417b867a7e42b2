import { gunzipSync } from "node:zlib";
import type { Client } from "pintle/client";
import { isJsonObject, type JsonObject, parseJson } from "pintle/internal/json";
import { Secret } from "pintle/kinds/core/v1";
import { isConditionTrue, setCondition } from "../api/conditions.ts";
import type { ManagerContext } from "../api/context.ts";
import { describeError, failure } from "../api/failures.ts";
import {
  BUNDLE_NAME,
  BUNDLE_REFERENCE,
  BUNDLE_VERSION,
  CONTROLLER_FIELD_MANAGER,
  MIGRATED_FROM_HELM_LABEL,
  PACKAGE_NAME,
} from "../api/names.ts";
import { writeStatus } from "../api/status.ts";
import { type ClusterExtension, type ClusterObjectSet, ClusterObjectSetKind } from "../api/types.ts";
import { applyRevision } from "./apply-revision.ts";
import { addOwnerMarks } from "./generate-objects.ts";

/** Type of the Secret with the first part of a release, and the names of the others. */
const INDEX_TYPE = "operatorframework.io/index.v1";
/** The limits of operator-controller, and how large a release may become when it is decompressed. */
const MAX_PARTS = 10;
const MAX_RELEASE_BYTES = 256 * 1024 * 1024;

interface Release {
  /** One object per line, as JSON. */
  readonly manifest: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Makes a revision of the Helm release with which operator-controller has installed an extension before it had revisions. The revision has the objects of the
 * release, may take them over from any owner, and counts as rolled out, so that the bundle is known to be installed. Does nothing for extensions that have
 * revisions, or no release. The release itself stays, as with upstream.
 */
export async function adoptHelmRelease(
  context: ManagerContext,
  extension: ClusterExtension,
  revisions: readonly ClusterObjectSet[],
): Promise<void> {
  const { client, systemNamespace, clock } = context;
  if (revisions.length > 0) return markAdopted(client, revisions[0]!, clock.now());
  const { name } = extension.metadata;
  const release = await readDeployedRelease(client, name, systemNamespace);
  if (release === undefined) return;
  const { labels } = release;
  const annotations = Object.fromEntries(
    [BUNDLE_NAME, PACKAGE_NAME, BUNDLE_VERSION, BUNDLE_REFERENCE].map((key) => [key, labels[key] ?? ""]),
  );
  const objects = readManifest(release.manifest, name).map((object) => addOwnerMarks(object, extension, annotations));
  await applyRevision(context, extension, { objects, annotations }, [], { isAdopted: true });
  await markAdopted(client, await client.get(ClusterObjectSetKind, { name: `${name}-1` }), clock.now());
}

/** The revision counts as rolled out at once: until its own controller has seen it, nothing would be known to be installed. */
async function markAdopted(client: Client, revision: ClusterObjectSet, now: number): Promise<void> {
  const { metadata, spec, status } = revision;
  if (spec.revision !== 1 || metadata.labels?.[MIGRATED_FROM_HELM_LABEL] !== "true" || isConditionTrue(status?.conditions, "Succeeded"))
    return;
  const condition = {
    type: "Succeeded",
    status: "True",
    reason: "Succeeded",
    message: "Revision succeeded - migrated from Helm release",
    observedGeneration: metadata.generation ?? 0,
  } as const;
  const conditions = setCondition(status?.conditions ?? [], condition, now);
  await writeStatus(client, ClusterObjectSetKind, revision, { ...status, conditions }, CONTROLLER_FIELD_MANAGER).catch((error: unknown) => {
    throw failure(`updating migrated revision status: ${describeError(error)}`, error);
  });
}

/** The newest release of an extension that was deployed; undefined if there is none. */
async function readDeployedRelease(client: Client, name: string, namespace: string): Promise<Release | undefined> {
  const labels = { owner: CONTROLLER_FIELD_MANAGER, name, status: "deployed" };
  const { items } = await client.list(Secret, { namespace, labels });
  const versionOf = ({ metadata }: Secret) => Number(metadata.labels?.["version"] ?? 0);
  const newest = items.filter(({ type }) => type === INDEX_TYPE).sort((a, b) => versionOf(b) - versionOf(a))[0];
  if (newest === undefined) return undefined;
  try {
    return decodeRelease(await readParts(client, newest));
  } catch (error) {
    throw failure(`reading the Helm release in Secret ${namespace}/${newest.metadata.name}: ${describeError(error)}`, error);
  }
}

async function readParts(client: Client, { metadata, data = {} }: Secret): Promise<Buffer> {
  const more = parseJson(Buffer.from(data["extraChunks"] ?? "", "base64")) as readonly string[];
  if (more.length >= MAX_PARTS) throw failure(`it consists of ${more.length + 1} Secrets, and at most ${MAX_PARTS} are read`);
  const parts = [data["chunk"] ?? ""];
  for (const name of more) {
    const part = await client.get(Secret, { name, namespace: metadata.namespace! });
    parts.push(part.data?.["chunk"] ?? "");
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64")));
}

function decodeRelease(compressed: Buffer): Release {
  const release = parseJson(gunzipSync(compressed, { maxOutputLength: MAX_RELEASE_BYTES }));
  if (!isJsonObject(release) || typeof release["manifest"] !== "string") throw failure("it has no manifest");
  return { manifest: release["manifest"], labels: (release["labels"] ?? {}) as Release["labels"] };
}

function readManifest(manifest: string, extension: string): JsonObject[] {
  const lines = manifest.split("\n").map((line) => line.trim());
  return lines.flatMap((line, i) => {
    if (line === "" || line === "---" || line.startsWith("#")) return [];
    try {
      const object = parseJson(Buffer.from(line));
      if (isJsonObject(object)) return [object];
    } catch {
      // Reported with its line.
    }
    throw failure(`the Helm release of ${extension} has no JSON object in line ${i + 1} of its manifest`);
  });
}
