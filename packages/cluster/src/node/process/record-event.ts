import { type Container, Pod } from "pintle/kinds/core/v1";
import type { NodeContext } from "./node-context.ts";

export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Records an Event about a pod or one of its containers, as the kubelet. */
export function recordEvent({ events, node, faults }: NodeContext, pod: Pod, container: Container | undefined, event: PodEvent): void {
  if (faults.isDisconnected) return;
  const fieldPath = container === undefined ? undefined : `spec.${getContainerField(pod, container)}{${container.name}}`;
  events.record({ component: "kubelet", fieldManager: "kubelet", host: node.name, kind: Pod, object: pod, fieldPath, ...event });
}

function getContainerField({ spec }: Pod, { name }: Container): string {
  const hasContainer = (list: readonly { readonly name: string }[] | undefined) => list?.some((each) => each.name === name) === true;
  return hasContainer(spec.initContainers)
    ? "initContainers"
    : hasContainer(spec.ephemeralContainers)
      ? "ephemeralContainers"
      : "containers";
}
