import type { Namespace, Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import { ApiError, validateQualifiedName } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { createForbiddenError, createResourcePlugin, getStored } from "./resource-plugin.ts";

const NODE_SELECTOR_ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector";

/** Adds the node selector from the namespace annotation to pods. */
export function createPodNodeSelectorPlugin(store: ObjectStore): AdmissionPlugin {
  return createResourcePlugin<Pod>("PodNodeSelector", {
    group: "",
    plural: "pods",
    operations: ["CREATE"],
    async mutate(draft, request) {
      const namespace = await getStored<Namespace>(store, "", "namespaces", request.namespace);
      const namespaceSelector = parseNodeSelector(namespace?.metadata?.annotations?.[NODE_SELECTOR_ANNOTATION] ?? "");
      draft.spec ??= {};
      const own = (draft.spec.nodeSelector ?? {}) as Readonly<Record<string, string>>;
      if (Object.entries(namespaceSelector).some(([key, value]) => own[key] !== undefined && own[key] !== value)) {
        throw createForbiddenError(request, "pod node label selector conflicts with its namespace node label selector");
      }
      const both = { ...namespaceSelector, ...own };
      if (Object.keys(both).length > 0) draft.spec.nodeSelector = both;
    },
  });
}

/** Parses "a=b, c=d". An invalid annotation is a server error, because the requesting user did not write it. */
function parseNodeSelector(text: string): Readonly<Record<string, string>> {
  if (text === "") return {};
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const parts = pair.split("=").map((each) => each.trim());
      const [key = "", value = ""] = parts;
      if (parts.length !== 2) throw new ApiError(500, "", `invalid selector: [${pair}]`);
      const [problem] = validateQualifiedName(key);
      if (problem !== undefined) throw new ApiError(500, "", `<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
      return [key, value];
    }),
  );
}
