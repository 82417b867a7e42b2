/**
 * The PodSecurity plugin: enforces the Pod Security Standards that the labels of a namespace select. Takes pods,
 * objects with pod templates, and namespaces; throws `Forbidden`, sends warnings or adds audit annotations.
 */
import type { JsonObject } from "pintle/kinds";
import type { Namespace, Pod, PodSpec } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, type AdmissionRequest, getMetadata } from "../../../api/index.ts";
import { forbidden, invalid } from "../../../status/index.ts";
import type { ObjectStore } from "../../../store/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { getStored, listStored } from "../resource-plugin.ts";
import {
  compareLevels,
  formatLevelVersion,
  type PodSecurityLevelVersion,
  type PodSecurityPolicy,
  parsePodSecurityPolicy,
} from "./policy.ts";
import { findViolations, formatViolations } from "./standards.ts";

/** Resources with a pod template, and its path. */
const TEMPLATE_PATHS: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
  "batch/jobs": ["spec", "template"],
};
const ANNOTATION_PREFIX = "pod-security.kubernetes.io/";
const IGNORED_SUBRESOURCES = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

export function createPodSecurityPlugin(store: ObjectStore): AdmissionPlugin {
  const getPolicy = async ({ namespace }: AdmissionRequest): Promise<PodSecurityPolicy> =>
    parsePodSecurityPolicy((await getStored<Namespace>(store, "", "namespaces", namespace))?.metadata?.labels ?? {});

  return {
    name: "PodSecurity",
    validate(request) {
      const { resource, subresource, object, operation } = request;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
      const id = `${resource.group}/${resource.plural}`;
      if (id === "/pods") return IGNORED_SUBRESOURCES.has(subresource) ? undefined : validatePod(request, object as Unvalidated<Pod>);
      if (subresource !== "") return undefined;
      if (id === "/namespaces") return validateNamespace(request, object);
      const template = TEMPLATE_PATHS[id];
      return template && warnAboutTemplate(request, template);
    },
  };

  async function validatePod(request: AdmissionRequest, pod: Unvalidated<Pod>): Promise<void> {
    if (request.live !== undefined && !isSignificantUpdate(pod, request.live as Unvalidated<Pod>)) return;
    const policy = await getPolicy(request);
    request.addAuditAnnotation(`${ANNOTATION_PREFIX}enforce-policy`, formatLevelVersion(policy.enforce));
    auditPod(request, policy.audit, pod);
    const text = describeViolations(policy.enforce, pod);
    if (text !== "") {
      const why = `violates PodSecurity "${formatLevelVersion(policy.enforce)}": ${text}`;
      throw forbidden({ group: "", resource: "pods" }, request.name, why);
    }
    warnAboutPod(request, policy.warn, pod);
  }

  async function warnAboutTemplate(request: AdmissionRequest, path: readonly string[]): Promise<void> {
    const policy = await getPolicy(request);
    if (policy.audit.level === "privileged" && policy.warn.level === "privileged") return;
    const template = path.reduce<JsonObject | undefined>((part, field) => part?.[field] as JsonObject | undefined, request.object);
    if (template === undefined) return;
    auditPod(request, policy.audit, template as Unvalidated<Pod>);
    warnAboutPod(request, policy.warn, template as Unvalidated<Pod>);
  }

  async function validateNamespace(request: AdmissionRequest, namespace: JsonObject): Promise<void> {
    const { name = "", labels } = getMetadata(namespace);
    const policy = parsePodSecurityPolicy(labels);
    const before = request.live === undefined ? undefined : parsePodSecurityPolicy(getMetadata(request.live).labels);
    if (policy.labelErrors.length > 0 && JSON.stringify(policy.labelErrors) !== JSON.stringify(before?.labelErrors)) {
      throw invalid({ group: "", resource: "Namespace" }, name, policy.labelErrors);
    }
    if (before !== undefined && isStricter(policy.enforce, before.enforce)) {
      for (const text of describeExistingViolations(name, policy.enforce, await listStored<Pod>(store, "", "pods", name)))
        request.warn(text);
    }
  }
}

function describeViolations({ level, version }: PodSecurityLevelVersion, { metadata, spec }: Unvalidated<Pod>): string {
  return formatViolations(findViolations(level, { metadata: metadata ?? {}, spec: (spec ?? {}) as Unvalidated<PodSpec>, version }));
}

function warnAboutPod(request: AdmissionRequest, policy: PodSecurityLevelVersion, pod: Unvalidated<Pod>): void {
  const text = describeViolations(policy, pod);
  if (text !== "") request.warn(`would violate PodSecurity "${formatLevelVersion(policy)}": ${text}`);
}

function auditPod(request: AdmissionRequest, policy: PodSecurityLevelVersion, pod: Unvalidated<Pod>): void {
  const text = describeViolations(policy, pod);
  if (text === "") return;
  request.addAuditAnnotation(`${ANNOTATION_PREFIX}audit-violations`, `would violate PodSecurity "${formatLevelVersion(policy)}": ${text}`);
}

/** Returns whether an update changes containers or images, the only mutable fields that the standards check. */
function isSignificantUpdate({ spec: is }: Unvalidated<Pod>, { spec: was }: Unvalidated<Pod>): boolean {
  const images = (list: readonly Unvalidated<{ readonly image: string }>[] | null | undefined) =>
    JSON.stringify((list ?? []).map(({ image }) => image));
  const lists = ["containers", "initContainers", "ephemeralContainers"] as const;
  return lists.some((list) => images(is?.[list]) !== images(was?.[list]));
}

function isStricter(is: PodSecurityLevelVersion, was: PodSecurityLevelVersion): boolean {
  if (is.level === "privileged" || (is.level === was.level && is.version === was.version)) return false;
  return is.version !== was.version || compareLevels(is.level, was.level) > 0;
}

/** Describes the existing pods that violate a new enforce level. */
function describeExistingViolations(
  namespace: string,
  { level, version }: PodSecurityLevelVersion,
  pods: readonly Unvalidated<Pod>[],
): readonly string[] {
  const found = new Map<string, string[]>();
  for (const { metadata, spec } of pods) {
    const wrong = findViolations(level, { metadata: metadata ?? {}, spec: (spec ?? {}) as Unvalidated<PodSpec>, version });
    const text = wrong.map(({ reason }) => reason).join(", ");
    if (text !== "") found.set(text, [...(found.get(text) ?? []), metadata?.name ?? ""]);
  }
  if (found.size === 0) return [];
  const formatOthers = (count: number) => (count === 0 ? "" : ` (and ${count} other ${count === 1 ? "pod" : "pods"})`);
  const lines = [...found].map(([text, names]) => `${[...names].sort()[0]}${formatOthers(names.length - 1)}: ${text}`).sort();
  return [
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevelVersion({ level, version })}"`,
    ...lines,
  ];
}
