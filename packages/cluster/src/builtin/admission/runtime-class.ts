import type { Pod } from "pintle/kinds/core/v1";
import type { RuntimeClass } from "pintle/kinds/node/v1";
import { equal } from "pintle/merge";
import type { AdmissionPlugin, AdmissionRequest } from "../../api/index.ts";
import { goQuote } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { type Draft, draftOf, type Loose } from "../draft.ts";
import { same } from "../validate/problems.ts";
import { pluginFor, refusal, storedOne } from "./plugin.ts";

/** A pod pays for the runtime it names, and goes where that can run. */
export function runtimeClass(store: Store): AdmissionPlugin {
  const classOf = async ({ spec }: Loose<Pod>, request: AdmissionRequest) => {
    const name = spec?.runtimeClassName;
    if (name == null) return undefined;
    const found = await storedOne<RuntimeClass>(store, "node.k8s.io", "runtimeclasses", name);
    if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
    return found;
  };
  const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  return pluginFor<Pod>("RuntimeClass", {
    group: "",
    plural: "pods",
    on: ["CREATE"],
    async change(draft, request) {
      const found = await classOf(draft as Loose<Pod>, request);
      const { spec } = draft;
      if (found === undefined || !spec) return;
      const overhead = found.overhead?.podFixed;
      if (overhead) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !equal(spec.overhead as never, overhead as never))
          throw refusal(request, mismatch);
        spec.overhead = { ...(overhead as Record<string, string>) };
      }
      if (found.scheduling) schedule(spec, found.scheduling, request);
    },
    async check(pod, request) {
      const overhead = (await classOf(pod, request))?.overhead;
      if (overhead) {
        if (!same(overhead.podFixed, pod.spec?.overhead)) throw refusal(request, mismatch);
      } else if (pod.spec?.overhead) {
        throw refusal(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
      }
    },
  });
}

type Scheduling = NonNullable<Loose<RuntimeClass>["scheduling"]>;

function schedule(spec: NonNullable<Draft<Pod>["spec"]>, { nodeSelector, tolerations }: Scheduling, request: AdmissionRequest): void {
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own == null || own === value) continue;
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw refusal(request, why);
  }
  if (nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...(nodeSelector as Record<string, string>) };
  const more = (tolerations ?? []).filter((each) => !spec.tolerations?.some((own) => equal(own as never, each as never)));
  if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more.map((each) => draftOf<never>(each as never))];
}
