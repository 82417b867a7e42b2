import type { PodDNSConfig, PodSpec, PodTemplateSpec } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { searchProblems } from "../text/names.ts";
import { containers, ephemeralContainers, initContainers } from "./container.ts";
import { annotations, labels } from "./labels.ts";
import { podResources } from "./pod-resources.ts";
import { dnsLabel, dnsSubdomain, invalidFor, ipAddress, oneOf, type Problems, qualifiedName } from "./problems.ts";
import { affinity, tolerations, topologySpread } from "./scheduling.ts";
import { podSecurity } from "./security.ts";
import { volumes } from "./volumes.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const NO_CLAIMS: ReadonlySet<string> = new Set();

/** The pod itself, where there is one and not just a template. */
export interface PodIdentity {
  readonly name: string | undefined;
}

export function* podTemplate(field: string, template: Loose<PodTemplateSpec> | null | undefined): Problems {
  yield* labels(`${field}.labels`, template?.metadata?.labels);
  yield* annotations(`${field}.annotations`, template?.metadata?.annotations);
  yield* podSpec(`${field}.spec`, template?.spec ?? {}, undefined);
  if (template?.spec?.ephemeralContainers?.length) {
    yield fieldError.forbidden(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** What a pod leaves out, as most leave out most, is not looked at. */
export function* podSpec(field: string, spec: Loose<PodSpec>, pod: PodIdentity | undefined): Problems {
  const { problems, known } = volumes(`${field}.volumes`, spec.volumes, pod?.name);
  yield* problems;
  const claims = spec.resourceClaims ? new Set(spec.resourceClaims.flatMap(({ name }) => (name ? [name] : []))) : NO_CLAIMS;
  if (spec.resourceClaims) yield* resourceClaims(`${field}.resourceClaims`, spec);
  const around = { spec, volumes: known, claims };
  yield* containers(`${field}.containers`, around);
  if (spec.initContainers) yield* initContainers(`${field}.initContainers`, around);
  if (spec.ephemeralContainers) yield* ephemeralContainers(`${field}.ephemeralContainers`, around);
  if (spec.resources) yield* podResources(`${field}.resources`, spec, claims);
  if (spec.hostNetwork) yield* hostNetworkPorts(`${field}.containers`, spec, pod !== undefined);
  yield* oneOf(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES);
  yield* oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  if (spec.nodeSelector) yield* labels(`${field}.nodeSelector`, spec.nodeSelector);
  if (hasFields(spec.securityContext) || spec.shareProcessNamespace) yield* podSecurity(`${field}.securityContext`, spec);
  if (spec.affinity) yield* affinity(`${field}.affinity`, spec.affinity);
  if (spec.dnsConfig || spec.dnsPolicy === "None") yield* dnsConfig(`${field}.dnsConfig`, spec.dnsConfig, spec.dnsPolicy);
  if (spec.readinessGates || spec.schedulingGates) yield* gates(field, spec);
  const { topologySpreadConstraints: spread } = spec;
  if (spread) yield* topologySpread(`${field}.topologySpreadConstraints`, spread);
  yield* names(field, spec);
  if (spec.tolerations) yield* tolerations(`${field}.tolerations`, spec.tolerations);
  if (spec.hostAliases) yield* hostAliases(`${field}.hostAliases`, spec);
  yield* classes(field, spec);
}

function* resourceClaims(field: string, spec: Loose<PodSpec>): Problems {
  const seen = new Set<string>();
  for (const [i, claim] of (spec.resourceClaims ?? []).entries()) {
    const at = `${field}[${i}]`;
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) yield fieldError.required(`${at}.name`);
    else if (seen.has(name)) yield fieldError.duplicate(`${at}.name`, name);
    else yield* dnsLabel(`${at}.name`, name);
    seen.add(name ?? "");
    if (resourceClaimName != null && resourceClaimTemplateName != null) {
      yield fieldError.invalid(at, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (resourceClaimName == null && resourceClaimTemplateName == null) {
      yield fieldError.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (resourceClaimName != null) yield* dnsSubdomain(`${at}.resourceClaimName`, resourceClaimName);
    if (resourceClaimTemplateName != null) yield* dnsSubdomain(`${at}.resourceClaimTemplateName`, resourceClaimTemplateName);
  }
}

function hasFields(value: object | null | undefined): boolean {
  for (const _ in value ?? {}) return true;
  return false;
}

function* hostNetworkPorts(field: string, spec: Loose<PodSpec>, isPod: boolean): Problems {
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [j, { hostPort = 0, containerPort = 0 }] of (container.ports ?? []).entries()) {
      if ((!isPod && !hostPort) || hostPort === containerPort) continue;
      const why = "must match `containerPort` when `hostNetwork` is true";
      yield fieldError.invalid(`${field}[${i}].ports[${j}].hostPort`, hostPort, why);
    }
  }
}

function* dnsConfig(field: string, config: Loose<PodDNSConfig> | null | undefined, policy: string | null | undefined): Problems {
  if (policy === "None") {
    if (!config) return yield fieldError.required(field, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (!config.nameservers?.length) {
      return yield fieldError.required(`${field}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  const { nameservers, searches, options } = config ?? {};
  if (nameservers && nameservers.length > 3) {
    yield fieldError.invalid(`${field}.nameservers`, nameservers, "must not have more than 3 nameservers");
  }
  for (const [i, server] of (nameservers ?? []).entries()) yield* ipAddress(`${field}.nameservers[${i}]`, server);
  if (searches && searches.length > 32) yield fieldError.invalid(`${field}.searches`, searches, "must not have more than 32 search paths");
  for (const [i, search] of (searches ?? []).entries()) yield* invalidFor(`${field}.searches[${i}]`, search, searchProblems(search));
  for (const [i, { name }] of (options ?? []).entries()) {
    if (!name) yield fieldError.required(`${field}.options[${i}]`, "must not be empty");
  }
}

function* gates(field: string, { readinessGates, schedulingGates }: Loose<PodSpec>): Problems {
  for (const [i, { conditionType }] of (readinessGates ?? []).entries()) {
    yield* qualifiedName(`${field}.readinessGates[${i}].conditionType`, conditionType ?? "");
  }
  const seen = new Set<string>();
  for (const [i, { name = "" }] of (schedulingGates ?? []).entries()) {
    yield* qualifiedName(`${field}.schedulingGates[${i}]`, name ?? "");
    if (seen.has(name ?? "")) yield fieldError.duplicate(`${field}.schedulingGates[${i}]`, name);
    seen.add(name ?? "");
  }
}

function* names(field: string, spec: Loose<PodSpec>): Problems {
  if (spec.serviceAccountName) yield* dnsSubdomain(`${field}.serviceAccountName`, spec.serviceAccountName);
  if (spec.nodeName) yield* dnsSubdomain(`${field}.nodeName`, spec.nodeName);
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline != null && (deadline < 1 || deadline > 2147483647)) {
    yield fieldError.invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive");
  }
  if (spec.hostname) yield* dnsLabel(`${field}.hostname`, spec.hostname);
  if (spec.subdomain) yield* dnsLabel(`${field}.subdomain`, spec.subdomain);
}

function* hostAliases(field: string, spec: Loose<PodSpec>): Problems {
  for (const [i, { ip, hostnames }] of (spec.hostAliases ?? []).entries()) {
    yield* ipAddress(`${field}[${i}].ip`, ip ?? "");
    for (const [j, name] of (hostnames ?? []).entries()) yield* dnsSubdomain(`${field}[${i}].hostnames[${j}]`, name);
  }
}

function* classes(field: string, spec: Loose<PodSpec>): Iterable<FieldError> {
  if (spec.priorityClassName) yield* dnsSubdomain(`${field}.priorityClassName`, spec.priorityClassName);
  if (spec.runtimeClassName != null) yield* dnsSubdomain(`${field}.runtimeClassName`, spec.runtimeClassName);
  if (spec.preemptionPolicy != null) yield* oneOf(`${field}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  if (spec.os && spec.os.name !== "linux" && spec.os.name !== "windows") {
    if (!spec.os.name) yield fieldError.required(`${field}.os.name`, "cannot be empty");
    else yield fieldError.notSupported(`${field}.os`, spec.os.name, ["linux", "windows"]);
  }
}
