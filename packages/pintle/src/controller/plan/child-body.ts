import type { JsonObject } from "../../json/index.ts";
import { extendObject } from "../../json/index.ts";
import type { Child, KindInfo, Metadata } from "../../kinds/index.ts";
import { type Controller, canBeCrossNamespace } from "../declare/controller.ts";
import { isElsewhere } from "../declare/elsewhere.ts";
import { InvalidUsage } from "../errors.ts";
import {
  formatName,
  formatObject,
  HISTORY_ANNOTATION,
  KEEP_ANNOTATION,
  type NamespacedName,
  OWNER_NAME_ANNOTATION,
  OWNER_UID_LABEL,
} from "../names.ts";

/** The owner of children. */
export interface OwnerObject {
  readonly kind: KindInfo;
  readonly metadata: Metadata;
}

/** A child with its namespace and its owner reference or owner label. */
export interface ResolvedChild extends NamespacedName {
  readonly kind: KindInfo;
  readonly body: JsonObject;
  /** Whether the child is in another namespace or scope than its owner, and so cannot carry an owner reference. */
  readonly isCrossNamespace: boolean;
}

/** The part of a `Child` that its body follows from. */
export type OwnedBody = Pick<Child, "id" | "kind" | "object" | "keep">;

/** Builds the body to apply for a child: adds the namespace, and the owner reference or owner label. Throws `InvalidUsage` if the child cannot be owned. */
export function buildChildBody(controller: Controller, parent: OwnerObject, child: OwnedBody, history?: string | undefined): ResolvedChild {
  const kind = controller.owns.find((owned) => owned.id === child.id);
  const metadata = withHistory(child.object["metadata"] as JsonObject, history);
  const name = metadata["name"] as string;
  if (kind === undefined)
    throw new InvalidUsage(
      "PINTLE3010",
      `controller ${controller.name} returned ${child.id} ${name}, which is not in its \`owns\`: add ${child.kind.kind} there`,
    );
  const namespace = resolveNamespace(controller, parent, kind, metadata);
  const isCrossNamespace = canBeCrossNamespace(controller.kind, kind) && namespace !== parent.metadata.namespace;
  const resolve = (more: JsonObject): ResolvedChild => {
    const identity = namespace === undefined ? metadata : extendObject(metadata, { namespace });
    const body = { ...child.object, metadata: extendObject(identity, more) };
    return { kind, name, isCrossNamespace, body, ...(namespace === undefined ? {} : { namespace }) };
  };
  if (!isCrossNamespace && child.keep === undefined) return resolve({ ownerReferences: [buildOwnerReference(parent)] });
  const labels = { ...(metadata["labels"] as JsonObject | undefined), [OWNER_UID_LABEL]: parent.metadata.uid };
  const annotations = {
    ...(metadata["annotations"] as JsonObject | undefined),
    [OWNER_NAME_ANNOTATION]: formatName(parent.metadata),
    ...(child.keep === undefined ? {} : { [KEEP_ANNOTATION]: child.keep }),
  };
  return resolve({ labels, annotations });
}

function withHistory(metadata: JsonObject, history: string | undefined): JsonObject {
  if (history === undefined) return metadata;
  const annotations = { ...(metadata["annotations"] as JsonObject | undefined), [HISTORY_ANNOTATION]: history };
  return extendObject(metadata, { annotations });
}

function resolveNamespace(controller: Controller, parent: OwnerObject, kind: KindInfo, metadata: JsonObject): string | undefined {
  const declared = metadata["namespace"] as string | undefined;
  const subject = `controller ${controller.name}: child ${formatObject(kind, { name: metadata["name"] as string, namespace: declared })}`;
  if (kind.scope === "Cluster") {
    if (declared !== undefined) throw new InvalidUsage("PINTLE3011", `${subject} has a namespace, but ${kind.kind} is cluster-scoped`);
    return undefined;
  }
  const own = parent.metadata.namespace;
  if (declared === undefined && own === undefined)
    throw new InvalidUsage(
      "PINTLE3012",
      `${subject} needs metadata.namespace: its owner ${formatObject(parent.kind, parent.metadata)} has none to share`,
    );
  if (declared !== undefined && own !== undefined && declared !== own && !isElsewhere(kind))
    throw new InvalidUsage(
      "PINTLE3013",
      `${subject} is in another namespace than its owner ${formatObject(parent.kind, parent.metadata)}: declare elsewhere(${kind.kind}) in \`owns\``,
    );
  return declared ?? own;
}

function buildOwnerReference({ kind, metadata }: OwnerObject): JsonObject {
  const { name, uid } = metadata;
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
