import type { PodDNSConfig, PodSpec, PodTemplateSpec } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./container.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { validateSearchPath } from "./names.ts";
import { validatePodResources } from "./pod-resources.ts";
import { validateAffinity, validateTolerations, validateTopologySpread } from "./scheduling.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import {
  createInvalidErrors,
  type FieldErrors,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateIpAddressField,
  validateQualifiedNameField,
  validateRequiredEnum,
} from "./validators.ts";
import { validateVolumes } from "./volumes.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const NO_CLAIMS: ReadonlySet<string> = new Set();

/** The pod that is validated; not given for templates. */
export interface PodIdentity {
  readonly name: string | undefined;
}

export function* validatePodTemplate(field: string, template: Unvalidated<PodTemplateSpec> | null | undefined): FieldErrors {
  yield* validateLabels(`${field}.labels`, template?.metadata?.labels);
  yield* validateAnnotations(`${field}.annotations`, template?.metadata?.annotations);
  yield* validatePodSpec(`${field}.spec`, template?.spec ?? {}, undefined);
  if (template?.spec?.ephemeralContainers?.length) {
    yield fieldError.forbidden(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** Validates a pod spec. Missing fields are skipped early, because most pods set few fields. */
export function* validatePodSpec(field: string, spec: Unvalidated<PodSpec>, pod: PodIdentity | undefined): FieldErrors {
  const { problems, known } = validateVolumes(`${field}.volumes`, spec.volumes, pod?.name);
  yield* problems;
  const claims = spec.resourceClaims ? new Set(spec.resourceClaims.flatMap(({ name }) => (name ? [name] : []))) : NO_CLAIMS;
  if (spec.resourceClaims) yield* validateResourceClaims(`${field}.resourceClaims`, spec);
  const around = { spec, volumes: known, claims };
  yield* validateContainers(`${field}.containers`, around);
  if (spec.initContainers) yield* validateInitContainers(`${field}.initContainers`, around);
  if (spec.ephemeralContainers) yield* validateEphemeralContainers(`${field}.ephemeralContainers`, around);
  if (spec.resources) yield* validatePodResources(`${field}.resources`, spec, claims);
  if (spec.hostNetwork) yield* validateHostNetworkPorts(`${field}.containers`, spec, pod !== undefined);
  yield* validateRequiredEnum(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES);
  yield* validateRequiredEnum(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  if (spec.nodeSelector) yield* validateLabels(`${field}.nodeSelector`, spec.nodeSelector);
  if (hasAnyField(spec.securityContext) || spec.shareProcessNamespace) yield* validatePodSecurityContext(`${field}.securityContext`, spec);
  if (spec.affinity) yield* validateAffinity(`${field}.affinity`, spec.affinity);
  if (spec.dnsConfig || spec.dnsPolicy === "None") yield* validateDnsConfig(`${field}.dnsConfig`, spec.dnsConfig, spec.dnsPolicy);
  if (spec.readinessGates || spec.schedulingGates) yield* validateGates(field, spec);
  const { topologySpreadConstraints: spread } = spec;
  if (spread) yield* validateTopologySpread(`${field}.topologySpreadConstraints`, spread);
  yield* validatePodNames(field, spec);
  if (spec.tolerations) yield* validateTolerations(`${field}.tolerations`, spec.tolerations);
  if (spec.hostAliases) yield* validateHostAliases(`${field}.hostAliases`, spec);
  yield* validateClasses(field, spec);
}

function* validateResourceClaims(field: string, spec: Unvalidated<PodSpec>): FieldErrors {
  const seen = new Set<string>();
  for (const [i, claim] of (spec.resourceClaims ?? []).entries()) {
    const at = `${field}[${i}]`;
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) yield fieldError.required(`${at}.name`);
    else if (seen.has(name)) yield fieldError.duplicate(`${at}.name`, name);
    else yield* validateDnsLabelField(`${at}.name`, name);
    seen.add(name ?? "");
    if (resourceClaimName != null && resourceClaimTemplateName != null) {
      yield fieldError.invalid(at, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (resourceClaimName == null && resourceClaimTemplateName == null) {
      yield fieldError.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (resourceClaimName != null) yield* validateDnsSubdomainField(`${at}.resourceClaimName`, resourceClaimName);
    if (resourceClaimTemplateName != null) yield* validateDnsSubdomainField(`${at}.resourceClaimTemplateName`, resourceClaimTemplateName);
  }
}

function hasAnyField(value: object | null | undefined): boolean {
  for (const _ in value ?? {}) return true;
  return false;
}

function* validateHostNetworkPorts(field: string, spec: Unvalidated<PodSpec>, isPod: boolean): FieldErrors {
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [j, { hostPort = 0, containerPort = 0 }] of (container.ports ?? []).entries()) {
      if ((!isPod && !hostPort) || hostPort === containerPort) continue;
      const why = "must match `containerPort` when `hostNetwork` is true";
      yield fieldError.invalid(`${field}[${i}].ports[${j}].hostPort`, hostPort, why);
    }
  }
}

function* validateDnsConfig(
  field: string,
  config: Unvalidated<PodDNSConfig> | null | undefined,
  policy: string | null | undefined,
): FieldErrors {
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
  for (const [i, server] of (nameservers ?? []).entries()) yield* validateIpAddressField(`${field}.nameservers[${i}]`, server);
  if (searches && searches.length > 32) yield fieldError.invalid(`${field}.searches`, searches, "must not have more than 32 search paths");
  for (const [i, search] of (searches ?? []).entries())
    yield* createInvalidErrors(`${field}.searches[${i}]`, search, validateSearchPath(search));
  for (const [i, { name }] of (options ?? []).entries()) {
    if (!name) yield fieldError.required(`${field}.options[${i}]`, "must not be empty");
  }
}

function* validateGates(field: string, { readinessGates, schedulingGates }: Unvalidated<PodSpec>): FieldErrors {
  for (const [i, { conditionType }] of (readinessGates ?? []).entries()) {
    yield* validateQualifiedNameField(`${field}.readinessGates[${i}].conditionType`, conditionType ?? "");
  }
  const seen = new Set<string>();
  for (const [i, { name = "" }] of (schedulingGates ?? []).entries()) {
    yield* validateQualifiedNameField(`${field}.schedulingGates[${i}]`, name ?? "");
    if (seen.has(name ?? "")) yield fieldError.duplicate(`${field}.schedulingGates[${i}]`, name);
    seen.add(name ?? "");
  }
}

function* validatePodNames(field: string, spec: Unvalidated<PodSpec>): FieldErrors {
  if (spec.serviceAccountName) yield* validateDnsSubdomainField(`${field}.serviceAccountName`, spec.serviceAccountName);
  if (spec.nodeName) yield* validateDnsSubdomainField(`${field}.nodeName`, spec.nodeName);
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline != null && (deadline < 1 || deadline > 2147483647)) {
    yield fieldError.invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive");
  }
  if (spec.hostname) yield* validateDnsLabelField(`${field}.hostname`, spec.hostname);
  if (spec.subdomain) yield* validateDnsLabelField(`${field}.subdomain`, spec.subdomain);
}

function* validateHostAliases(field: string, spec: Unvalidated<PodSpec>): FieldErrors {
  for (const [i, { ip, hostnames }] of (spec.hostAliases ?? []).entries()) {
    yield* validateIpAddressField(`${field}[${i}].ip`, ip ?? "");
    for (const [j, name] of (hostnames ?? []).entries()) yield* validateDnsSubdomainField(`${field}[${i}].hostnames[${j}]`, name);
  }
}

function* validateClasses(field: string, spec: Unvalidated<PodSpec>): Iterable<FieldError> {
  if (spec.priorityClassName) yield* validateDnsSubdomainField(`${field}.priorityClassName`, spec.priorityClassName);
  if (spec.runtimeClassName != null) yield* validateDnsSubdomainField(`${field}.runtimeClassName`, spec.runtimeClassName);
  if (spec.preemptionPolicy != null)
    yield* validateRequiredEnum(`${field}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  if (spec.os && spec.os.name !== "linux" && spec.os.name !== "windows") {
    if (!spec.os.name) yield fieldError.required(`${field}.os.name`, "cannot be empty");
    else yield fieldError.notSupported(`${field}.os`, spec.os.name, ["linux", "windows"]);
  }
}
