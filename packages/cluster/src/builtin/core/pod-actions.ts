import type { JsonObject } from "pintle/kinds";
import type { Binding, Pod } from "pintle/kinds/core/v1";
import { timestamp } from "../../api/index.ts";
import { ApiError, badRequest, conflict, fieldError, fieldErrorText } from "../../status/index.ts";
import type { Action } from "../rules.ts";

const PODS = { group: "", resource: "pods/binding" };
export const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } as const;

/** Puts the pod on a node, once: what a scheduler asks for. */
export const binding: Action = async ({ name, body, context, change }) => {
  const { target, metadata } = body as unknown as Partial<Binding>;
  if ((metadata?.name ?? "") !== name) throw badRequest("name in URL does not match name in Binding object");
  const node = target?.name ?? "";
  const problems = [
    ...(["", "Node"].includes(target?.kind ?? "") ? [] : [fieldError.notSupported("target.kind", target?.kind, ["Node", "<empty>"])]),
    ...(node === "" ? [fieldError.required("target.name")] : []),
  ].map(fieldErrorText);
  // Not a 422: the server hands on these problems without making them a Status.
  if (problems.length > 0) throw new ApiError(500, "", problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
  await change((live) => {
    const pod = live as unknown as Pod;
    const { uid } = (metadata ?? {}) as { readonly uid?: string };
    if (uid !== undefined && uid !== "" && uid !== pod.metadata.uid) {
      throw conflict(PODS, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw conflict(PODS, name, `pod ${name} is being deleted, cannot be assigned to a host`);
    }
    if (pod.spec.nodeName) throw conflict(PODS, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
    return bound(pod, node, metadata ?? {}, timestamp(context.now)) as unknown as JsonObject;
  });
  return SUCCESS;
};

function bound(pod: Pod, nodeName: string, { annotations, labels }: Partial<Binding["metadata"]>, now: string): Pod {
  // Nobody holds a place for a pod that has one.
  const { nominatedNodeName: _, ...status } = pod.status;
  return {
    ...withCondition({ ...pod, status }, { type: "PodScheduled", status: "True" }, now),
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName },
  };
}

/** The condition is of its type the only one. */
export function withCondition(pod: Pod, condition: { readonly type: string; readonly status: string }, now: string): Pod {
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const made = { ...condition, lastProbeTime: null, lastTransitionTime: now } as never;
  return { ...pod, status: { ...pod.status, conditions: [...others, made] } };
}
