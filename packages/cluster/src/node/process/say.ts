import { type Container, Pod } from "pintle/kinds/core/v1";
import type { Ground } from "./ground.ts";

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** An Event about a pod, or about one of its containers, in a kubelet's name. */
export function say({ events, node, faults }: Ground, pod: Pod, container: Container | undefined, said: Said): void {
  if (faults.isLost) return;
  const fieldPath = container === undefined ? undefined : `spec.${listOf(pod, container)}{${container.name}}`;
  events.announce({ component: "kubelet", manager: "kubelet", host: node.name, kind: Pod, object: pod, fieldPath, ...said });
}

function listOf({ spec }: Pod, { name }: Container): string {
  const has = (list: readonly { readonly name: string }[] | undefined) => list?.some((each) => each.name === name) === true;
  return has(spec.initContainers) ? "initContainers" : has(spec.ephemeralContainers) ? "ephemeralContainers" : "containers";
}
