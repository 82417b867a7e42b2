import { quoteGoString } from "pintle/internal/go-format";
import { isJsonEqual } from "pintle/internal/merge";
import type { Pod } from "pintle/kinds/core/v1";
import type { RuntimeClass } from "pintle/kinds/node/v1";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createDraft, type Draft, type Unvalidated } from "../draft.ts";
import { isSemanticallyEqual } from "../validation/validators.ts";
import { createForbiddenError, createResourcePlugin, getStored } from "./resource-plugin.ts";

/** Adds the overhead and the scheduling constraints of the runtime class to pods. */
export function createRuntimeClassPlugin(store: ObjectStore): AdmissionPlugin {
  const getRuntimeClass = async ({ spec }: Unvalidated<Pod>, request: AdmissionRequest) => {
    const name = spec?.runtimeClassName;
    if (name == null) return undefined;
    const found = await getStored<RuntimeClass>(store, "node.k8s.io", "runtimeclasses", name);
    if (found === undefined) throw createForbiddenError(request, `pod rejected: RuntimeClass ${quoteGoString(name)} not found`);
    return found;
  };
  const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  return createResourcePlugin<Pod>("RuntimeClass", {
    group: "",
    plural: "pods",
    operations: ["CREATE"],
    async mutate(draft, request) {
      const found = await getRuntimeClass(draft as Unvalidated<Pod>, request);
      const { spec } = draft;
      if (found === undefined || !spec) return;
      const overhead = found.overhead?.podFixed;
      if (overhead) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !isJsonEqual(spec.overhead as never, overhead as never))
          throw createForbiddenError(request, mismatch);
        spec.overhead = { ...(overhead as Record<string, string>) };
      }
      if (found.scheduling) applyScheduling(spec, found.scheduling, request);
    },
    async validate(pod, request) {
      const overhead = (await getRuntimeClass(pod, request))?.overhead;
      if (overhead) {
        if (!isSemanticallyEqual(overhead.podFixed, pod.spec?.overhead)) throw createForbiddenError(request, mismatch);
      } else if (pod.spec?.overhead) {
        throw createForbiddenError(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
      }
    },
  });
}

type Scheduling = NonNullable<Unvalidated<RuntimeClass>["scheduling"]>;

function applyScheduling(
  spec: NonNullable<Draft<Pod>["spec"]>,
  { nodeSelector, tolerations }: Scheduling,
  request: AdmissionRequest,
): void {
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own == null || own === value) continue;
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw createForbiddenError(request, why);
  }
  if (nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...(nodeSelector as Record<string, string>) };
  const more = (tolerations ?? []).filter((each) => !spec.tolerations?.some((own) => isJsonEqual(own as never, each as never)));
  if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more.map((each) => createDraft<never>(each as never))];
}
