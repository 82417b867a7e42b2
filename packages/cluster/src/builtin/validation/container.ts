import type { Container, ContainerPort, EphemeralContainer, PodSpec, Volume } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validatePortName, validatePortNumber } from "./names.ts";
import { validateLifecycle, validateProbes } from "./probe.ts";
import { validateContainerResources } from "./resources.ts";
import { validateContainerSecurityContext } from "./security-context.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateEnum, validateRequiredEnum } from "./validators.ts";
import { validateVolumeMounts } from "./volume-mounts.ts";

/** Properties of the pod that the validation of containers uses. */
export interface PodValidationContext {
  readonly spec: Unvalidated<PodSpec>;
  readonly volumes: ReadonlyMap<string, Unvalidated<Volume>>;
  readonly claims: ReadonlySet<string>;
}

const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const usesHostUsers = ({ hostUsers: value }: Unvalidated<PodSpec>) => value !== false;

export function* validateContainers(field: string, context: PodValidationContext): FieldErrors {
  const { containers: all, terminationGracePeriodSeconds: grace, os } = context.spec;
  if (!all?.length) return yield fieldError.required(field);
  const names = new Set<string>();
  for (const [i, container] of all.entries()) {
    const at = `${field}[${i}]`;
    yield* validateCommonContainer(at, container, context);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    if (container.lifecycle) yield* validateLifecycle(`${at}.lifecycle`, container.lifecycle, grace, os?.name ?? "");
    yield* validateProbes(at, container, grace);
    yield* validateRestartPolicy(at, container);
  }
  yield* validateHostPorts(field, all);
}

const LIFECYCLE_FIELDS = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

export function* validateInitContainers(field: string, context: PodValidationContext): FieldErrors {
  const { initContainers: all, containers: regular, terminationGracePeriodSeconds: grace, os } = context.spec;
  const names = new Set((regular ?? []).map(({ name }) => name ?? ""));
  for (const [i, container] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* validateCommonContainer(at, container, context);
    yield* validateRestartPolicy(at, container);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    yield* validateHostPorts(field, [container]);
    if (container.restartPolicy === "Always") {
      yield* validateLifecycle(`${at}.lifecycle`, container.lifecycle, grace, os?.name ?? "");
      yield* validateProbes(at, container, grace);
    } else {
      for (const name of LIFECYCLE_FIELDS) {
        if (container[name]) yield fieldError.forbidden(`${at}.${name}`, "may not be set for init containers without restartPolicy=Always");
      }
    }
  }
}

const EPHEMERAL_FORBIDDEN = ["ports", "resources", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "resizePolicy"] as const;
const NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";

export function* validateEphemeralContainers(field: string, context: PodValidationContext): FieldErrors {
  const { ephemeralContainers: all, containers: regular, initContainers: init } = context.spec;
  const targets = new Set([...(regular ?? []), ...(init ?? [])].map(({ name }) => name ?? ""));
  const names = new Set(targets);
  for (const [i, container] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* validateCommonContainer(at, container as Unvalidated<Container>, context);
    yield* validateTrimmedImage(at, container);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    const target = container.targetContainerName;
    if (target && !targets.has(target)) yield fieldError.notFound(`${at}.targetContainerName`, target);
    for (const name of EPHEMERAL_FORBIDDEN) if (isNonEmpty(container[name])) yield fieldError.forbidden(`${at}.${name}`, NOT_EPHEMERAL);
    yield* validateNoSubPaths(at, container);
  }
}

function isNonEmpty(value: unknown): boolean {
  return value != null && Object.keys(value).length > 0;
}

function* validateNoSubPaths(field: string, { volumeMounts }: Unvalidated<EphemeralContainer>): FieldErrors {
  for (const [i, { subPath, subPathExpr }] of (volumeMounts ?? []).entries()) {
    if (subPath) yield fieldError.forbidden(`${field}.volumeMounts[${i}].subPath`, NOT_EPHEMERAL);
    if (subPathExpr) yield fieldError.forbidden(`${field}.volumeMounts[${i}].subPathExpr`, NOT_EPHEMERAL);
  }
}

/** Rejects images with leading or trailing whitespace; applies to pods, not to templates. */
export function* validateTrimmedImage(field: string, { image }: Pick<Unvalidated<Container>, "image">): FieldErrors {
  if (image && image !== image.trim()) yield fieldError.invalid(`${field}.image`, image, "must not have leading or trailing whitespace");
}

function* validateCommonContainer(
  field: string,
  container: Unvalidated<Container>,
  { spec, volumes, claims }: PodValidationContext,
): FieldErrors {
  if (!container.name) yield fieldError.required(`${field}.name`);
  else yield* validateDnsLabelField(`${field}.name`, container.name);
  if (!container.image) yield fieldError.required(`${field}.image`);
  yield* validateRequiredEnum(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES);
  if (container.ports) yield* validatePorts(`${field}.ports`, container.ports);
  if (container.env) yield* validateEnv(`${field}.env`, container.env);
  if (container.envFrom) yield* validateEnvFrom(`${field}.envFrom`, container.envFrom);
  if (container.volumeMounts || container.volumeDevices) yield* validateVolumeMounts(field, container, volumes);
  yield* validateRequiredEnum(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES);
  if (container.resources) yield* validateContainerResources(`${field}.resources`, container.resources, claims);
  if (container.resizePolicy) yield* validateResizePolicy(`${field}.resizePolicy`, container, spec.restartPolicy ?? "");
  if (container.securityContext)
    yield* validateContainerSecurityContext(`${field}.securityContext`, container.securityContext, usesHostUsers(spec));
}

function* validatePorts(field: string, all: readonly Unvalidated<ContainerPort>[] | null | undefined): FieldErrors {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (name) {
      const problems = validatePortName(name);
      yield* createInvalidErrors(`${at}.name`, name, problems);
      if (problems.length === 0 && names.has(name)) yield fieldError.duplicate(`${at}.name`, name);
      names.add(name);
    }
    if (!containerPort) yield fieldError.required(`${at}.containerPort`);
    else yield* createInvalidErrors(`${at}.containerPort`, containerPort, validatePortNumber(containerPort));
    if (hostPort) yield* createInvalidErrors(`${at}.hostPort`, hostPort, validatePortNumber(hostPort));
    yield* validateRequiredEnum(`${at}.protocol`, protocol, PROTOCOLS);
  }
}

function* validateHostPorts(field: string, all: readonly Unvalidated<Container>[]): FieldErrors {
  const taken = new Set<string>();
  for (const [i, container] of all.entries()) {
    for (const [j, { hostPort, hostIP, protocol }] of (container.ports ?? []).entries()) {
      if (!hostPort) continue;
      const port = `${protocol}/${hostIP ?? ""}/${hostPort}`;
      if (taken.has(port)) yield fieldError.duplicate(`${field}[${i}].ports[${j}].hostPort`, port);
      taken.add(port);
    }
  }
}

function validateRestartPolicy(field: string, container: Unvalidated<Container>): FieldErrors {
  const { restartPolicy: policy, restartPolicyRules: rules } = container;
  if (policy != null) return validateEnum(`${field}.restartPolicy`, policy, RESTART_POLICIES);
  return rules?.length ? [fieldError.required(`${field}.restartPolicy`, "must specify restartPolicy when restart rules are used")] : [];
}

function* validateResizePolicy(field: string, container: Unvalidated<Container>, podRestartPolicy: string): FieldErrors {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy: policy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName ?? "")) yield fieldError.duplicate(`${field}[${i}]`, resourceName);
    seen.add(resourceName ?? "");
    yield* validateRequiredEnum(field, resourceName, ["cpu", "memory"]);
    yield* validateRequiredEnum(field, policy, ["NotRequired", "RestartContainer"]);
    if (podRestartPolicy === "Never" && policy !== "NotRequired") {
      yield fieldError.invalid(field, policy ?? "", "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}
