/** PodSecurity: what the labels of a namespace ask of its pods. Comes in: pods, templates of pods, namespaces. Goes out: a refusal, or warnings. */
import type { JsonObject } from "pintle/kinds";
import type { Namespace, Pod, PodSpec } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, type AdmissionRequest, metadataOf } from "../../../api/index.ts";
import { forbidden, invalid } from "../../../status/index.ts";
import type { Store } from "../../../store/index.ts";
import type { Loose } from "../../draft.ts";
import { stored, storedOne } from "../plugin.ts";
import { compareLevels, type LevelVersion, policyText, type SecurityPolicy, securityPolicy } from "./policy.ts";
import { violations, violationsText } from "./standards.ts";

/** Resources with a template of pods, and where that is. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
  "batch/jobs": ["spec", "template"],
};
const UNTOUCHED = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

export function podSecurity(store: Store): AdmissionPlugin {
  const policyOf = async ({ namespace }: AdmissionRequest): Promise<SecurityPolicy> =>
    securityPolicy((await storedOne<Namespace>(store, "", "namespaces", namespace))?.metadata?.labels ?? {});

  return {
    name: "PodSecurity",
    validate(request) {
      const { resource, subresource, object, operation } = request;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
      const id = `${resource.group}/${resource.plural}`;
      if (id === "/pods") return UNTOUCHED.has(subresource) ? undefined : ofPod(request, object as Loose<Pod>);
      if (subresource !== "") return undefined;
      if (id === "/namespaces") return ofNamespace(request, object);
      const template = TEMPLATES[id];
      return template && ofTemplate(request, template);
    },
  };

  async function ofPod(request: AdmissionRequest, pod: Loose<Pod>): Promise<void> {
    const policy = await policyOf(request);
    if (policy.enforce.level === "privileged" && policy.warn.level === "privileged") return;
    if (request.live !== undefined && !isSignificant(pod, request.live as Loose<Pod>)) return;
    const text = problems(policy.enforce, pod);
    if (text !== "") {
      const why = `violates PodSecurity "${policyText(policy.enforce)}": ${text}`;
      throw forbidden({ group: "", resource: "pods" }, request.name, why);
    }
    warn(request, policy.warn, pod);
  }

  async function ofTemplate(request: AdmissionRequest, path: readonly string[]): Promise<void> {
    const policy = await policyOf(request);
    if (policy.warn.level === "privileged") return;
    const template = path.reduce<JsonObject | undefined>((part, field) => part?.[field] as JsonObject | undefined, request.object);
    if (template !== undefined) warn(request, policy.warn, template as Loose<Pod>);
  }

  async function ofNamespace(request: AdmissionRequest, namespace: JsonObject): Promise<void> {
    const { name = "", labels } = metadataOf(namespace);
    const policy = securityPolicy(labels);
    const before = request.live === undefined ? undefined : securityPolicy(metadataOf(request.live).labels);
    if (policy.problems.length > 0 && JSON.stringify(policy.problems) !== JSON.stringify(before?.problems)) {
      throw invalid({ group: "", resource: "Namespace" }, name, policy.problems);
    }
    if (before !== undefined && isTighter(policy.enforce, before.enforce)) {
      for (const text of existing(name, policy.enforce, await stored<Pod>(store, "", "pods", name))) request.warn(text);
    }
  }
}

function problems({ level, version }: LevelVersion, { metadata, spec }: Loose<Pod>): string {
  return violationsText(violations(level, { metadata: metadata ?? {}, spec: (spec ?? {}) as Loose<PodSpec>, version }));
}

function warn(request: AdmissionRequest, policy: LevelVersion, pod: Loose<Pod>): void {
  const text = problems(policy, pod);
  if (text !== "") request.warn(`would violate PodSecurity "${policyText(policy)}": ${text}`);
}

/** Of what can change in a pod, only other images and other containers matter. */
function isSignificant({ spec: is }: Loose<Pod>, { spec: was }: Loose<Pod>): boolean {
  const images = (list: readonly Loose<{ readonly image: string }>[] | null | undefined) =>
    JSON.stringify((list ?? []).map(({ image }) => image));
  const lists = ["containers", "initContainers", "ephemeralContainers"] as const;
  return lists.some((list) => images(is?.[list]) !== images(was?.[list]));
}

function isTighter(is: LevelVersion, was: LevelVersion): boolean {
  if (is.level === "privileged" || (is.level === was.level && is.version === was.version)) return false;
  return is.version !== was.version || compareLevels(is.level, was.level) > 0;
}

/** What a new level means for pods that are there: they stay, but could not come again. */
function existing(namespace: string, { level, version }: LevelVersion, pods: readonly Loose<Pod>[]): readonly string[] {
  const found = new Map<string, string[]>();
  for (const { metadata, spec } of pods) {
    const wrong = violations(level, { metadata: metadata ?? {}, spec: (spec ?? {}) as Loose<PodSpec>, version });
    const text = wrong.map(({ reason }) => reason).join(", ");
    if (text !== "") found.set(text, [...(found.get(text) ?? []), metadata?.name ?? ""]);
  }
  if (found.size === 0) return [];
  const others = (count: number) => (count === 0 ? "" : ` (and ${count} other ${count === 1 ? "pod" : "pods"})`);
  const lines = [...found].map(([text, names]) => `${[...names].sort()[0]}${others(names.length - 1)}: ${text}`).sort();
  return [
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${policyText({ level, version })}"`,
    ...lines,
  ];
}
