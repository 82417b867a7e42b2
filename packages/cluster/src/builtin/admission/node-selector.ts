import type { Namespace, Pod } from "pintle/kinds/core/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import { ApiError, qualifiedNameProblems } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { pluginFor, refusal, storedOne } from "./plugin.ts";

const ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector";

/** Pods go to the nodes that an annotation of their namespace names, beside what they ask for themselves. */
export function podNodeSelector(store: Store): AdmissionPlugin {
  return pluginFor<Pod>("PodNodeSelector", {
    group: "",
    plural: "pods",
    on: ["CREATE"],
    async change(draft, request) {
      const namespace = await storedOne<Namespace>(store, "", "namespaces", request.namespace);
      const wanted = labelsOf(namespace?.metadata?.annotations?.[ANNOTATION] ?? "");
      draft.spec ??= {};
      const own = (draft.spec.nodeSelector ?? {}) as Readonly<Record<string, string>>;
      if (Object.entries(wanted).some(([key, value]) => own[key] !== undefined && own[key] !== value)) {
        throw refusal(request, "pod node label selector conflicts with its namespace node label selector");
      }
      const both = { ...wanted, ...own };
      if (Object.keys(both).length > 0) draft.spec.nodeSelector = both;
    },
  });
}

/** "a=b, c=d". Who wrote the annotation is not who asks now: what is wrong with it is the server's error. */
function labelsOf(text: string): Readonly<Record<string, string>> {
  if (text === "") return {};
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const parts = pair.split("=").map((each) => each.trim());
      const [key = "", value = ""] = parts;
      if (parts.length !== 2) throw new ApiError(500, "", `invalid selector: [${pair}]`);
      const [problem] = qualifiedNameProblems(key);
      if (problem !== undefined) throw new ApiError(500, "", `<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
      return [key, value];
    }),
  );
}
