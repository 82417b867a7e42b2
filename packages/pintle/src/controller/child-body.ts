import { type Child, extended, type JsonObject, type KindFacts, type Metadata } from "../kinds/index.ts";
import { type Controller, isApart } from "./controller.ts";
import { isElsewhere } from "./elsewhere.ts";
import { type Located, located, OWNER_LABEL, OWNER_NAME, subject } from "./names.ts";

/** The primary, as far as its children are concerned. */
export interface Parent {
  readonly kind: KindFacts;
  readonly metadata: Metadata;
}

/** A child where it will live, with the mark of its owner. */
export interface Placed extends Located {
  readonly kind: KindFacts;
  readonly body: JsonObject;
  /** It cannot carry an owner reference. */
  readonly apart: boolean;
}

/** The body to apply for a child: namespace filled in, owner reference or owner label added. Throws for what cannot be owned. */
export function childBody(controller: Controller, parent: Parent, child: Child): Placed {
  const kind = controller.owns.find((owned) => owned.id === child.id);
  const metadata = child.object["metadata"] as JsonObject;
  const name = metadata["name"] as string;
  if (kind === undefined)
    throw new TypeError(
      `controller ${controller.name} returned ${child.id} ${name}, which is not in its \`owns\`: add ${child.kind.kind} there`,
    );
  const namespace = namespaceOf(controller, parent, kind, metadata);
  const apart = isApart(controller.kind, kind) && namespace !== parent.metadata.namespace;
  const placed = (more: JsonObject): Placed => {
    const identity = namespace === undefined ? metadata : extended(metadata, { namespace });
    const body = { ...child.object, metadata: extended(identity, more) };
    return { kind, name, apart, body, ...(namespace === undefined ? {} : { namespace }) };
  };
  if (!apart) return placed({ ownerReferences: [ownerReference(parent)] });
  const labels = { ...(metadata["labels"] as JsonObject | undefined), [OWNER_LABEL]: parent.metadata.uid };
  const annotations = { ...(metadata["annotations"] as JsonObject | undefined), [OWNER_NAME]: located(parent.metadata) };
  return placed({ labels, annotations });
}

function namespaceOf(controller: Controller, parent: Parent, kind: KindFacts, metadata: JsonObject): string | undefined {
  const given = metadata["namespace"] as string | undefined;
  const what = `controller ${controller.name}: child ${subject(kind, { name: metadata["name"] as string, namespace: given })}`;
  if (kind.scope === "Cluster") {
    if (given !== undefined) throw new TypeError(`${what} has a namespace, but ${kind.kind} is cluster-scoped`);
    return undefined;
  }
  const own = parent.metadata.namespace;
  if (given === undefined && own === undefined)
    throw new TypeError(`${what} needs metadata.namespace: its owner ${subject(parent.kind, parent.metadata)} has none to share`);
  if (given !== undefined && own !== undefined && given !== own && !isElsewhere(kind))
    throw new TypeError(
      `${what} is in another namespace than its owner ${subject(parent.kind, parent.metadata)}: say so with elsewhere(${kind.kind}) in \`owns\``,
    );
  return given ?? own;
}

function ownerReference({ kind, metadata }: Parent): JsonObject {
  const { name, uid } = metadata;
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
