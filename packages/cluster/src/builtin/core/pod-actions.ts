import type { JsonObject } from "pintle/kinds";
import type { Binding, Pod } from "pintle/kinds/core/v1";
import { timestamp } from "../../api/index.ts";
import { conflict, fieldError, invalid } from "../../status/index.ts";
import type { Action } from "../rules.ts";

const PODS = { group: "", resource: "pods/binding" };
const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } as const;

/** Puts the pod on a node, once: what a scheduler asks for. */
export const binding: Action = async ({ name, body, context, change }) => {
  const { target, metadata } = body as unknown as Partial<Binding>;
  const node = target?.name ?? "";
  if (node === "") throw invalid({ group: "", resource: "Binding" }, name, [fieldError.required("target.name")]);
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
    return bound(pod, node, timestamp(context.now)) as unknown as JsonObject;
  });
  return SUCCESS;
};

function bound(pod: Pod, nodeName: string, now: string): Pod {
  const others = (pod.status.conditions ?? []).filter((c) => c.type !== "PodScheduled");
  const observedGeneration = pod.metadata.generation;
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now, observedGeneration } as never;
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions: [...others, scheduled] } };
}

/** Deletes the pod, with the options that came along. */
export const eviction: Action = async ({ body, remove }) => {
  await remove((body["deleteOptions"] ?? {}) as JsonObject);
  return SUCCESS;
};
