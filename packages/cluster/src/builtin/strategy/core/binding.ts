import type { JsonObject } from "pintle/kinds";
import type { Binding, Pod } from "pintle/kinds/core/v1";
import { formatTimestamp, getMetadata, type ReviewContext } from "../../../api/index.ts";
import { ApiError, badRequest, conflict, fieldError, formatFieldError, notFound } from "../../../status/index.ts";
import type { ObjectStore } from "../../../store/index.ts";
import { getStoragePrefix } from "../../kind-attributes.ts";
import type { KindStrategy, SubresourceAction } from "../kind-strategy.ts";

const BINDING_RESOURCE = { group: "", resource: "pods/binding" };
export const SUCCESS_STATUS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } as const;

/** Binds the pod to a node; fails if it is already bound. */
export const bindingAction: SubresourceAction = async ({ name, body, context, updateObject }) => {
  const { target, metadata } = body as unknown as Partial<Binding>;
  if ((metadata?.name ?? "") !== name) throw badRequest("name in URL does not match name in Binding object");
  const node = target?.name ?? "";
  const problems = [
    ...(["", "Node"].includes(target?.kind ?? "") ? [] : [fieldError.notSupported("target.kind", target?.kind, ["Node", "<empty>"])]),
    ...(node === "" ? [fieldError.required("target.name")] : []),
  ].map(formatFieldError);
  // kube-apiserver returns these errors with code 500 instead of 422.
  if (problems.length > 0) throw new ApiError(500, "", problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
  await updateObject((live) => {
    const pod = live as unknown as Pod;
    const { uid } = (metadata ?? {}) as { readonly uid?: string };
    if (uid !== undefined && uid !== "" && uid !== pod.metadata.uid) {
      throw conflict(BINDING_RESOURCE, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw conflict(BINDING_RESOURCE, name, `pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (pod.spec.nodeName) throw conflict(BINDING_RESOURCE, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
    return assignNode(pod, node, metadata ?? {}, formatTimestamp(context.now)) as unknown as JsonObject;
  });
  return SUCCESS_STATUS;
};

function assignNode(pod: Pod, nodeName: string, { annotations, labels }: Partial<Binding["metadata"]>, now: string): Pod {
  // A bound pod is no longer nominated for a node.
  const { nominatedNodeName: _, ...status } = pod.status;
  return {
    ...setCondition({ ...pod, status }, { type: "PodScheduled", status: "True" }, now),
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName },
  };
}

/** Replaces the condition of the same type. */
export function setCondition(pod: Pod, condition: { readonly type: string; readonly status: string }, now: string): Pod {
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const made = { ...condition, lastProbeTime: null, lastTransitionTime: now } as never;
  return { ...pod, status: { ...pod.status, conditions: [...others, made] } };
}

/** The legacy `bindings` resource: a POST binds the pod of the same name. Bindings are never stored. */
export function createBindingStrategy(store: ObjectStore): KindStrategy<any> {
  return { evaluateReview: (body, context) => bindPod(store, body, context) };
}

async function bindPod(store: ObjectStore, body: JsonObject, context: ReviewContext): Promise<JsonObject> {
  const { name = "", namespace = "" } = getMetadata(body);
  const { dryRun } = context;
  const key = `${getStoragePrefix("", "pods")}/${namespace}/${name}`;
  const updateObject = async (next: (live: JsonObject) => JsonObject): Promise<JsonObject> => {
    for (;;) {
      const entry = await store.get(key);
      if (entry === undefined) throw notFound({ group: "", resource: "pods" }, name);
      const changed = next(entry.value);
      if (dryRun) return changed;
      const result = await store.txn(key, entry.revision, { put: changed });
      if (!result.ok) continue;
      context.recordCommit(result);
      return result.entry.value;
    }
  };
  const unused = { addAuditAnnotation() {}, deleteObject: async () => {} };
  return bindingAction({ verb: "create", namespace, name, body, dryRun, context, updateObject, ...unused });
}
