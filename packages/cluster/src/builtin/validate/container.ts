import type { Container, ContainerPort, EphemeralContainer, PodSpec, Volume } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { portNameProblems, portNumberProblems } from "../text/names.ts";
import { env, envFrom } from "./env.ts";
import { mounts } from "./mounts.ts";
import { lifecycle, probes } from "./probe.ts";
import { dnsLabel, invalidFor, maybeOneOf, oneOf, type Problems } from "./problems.ts";
import { containerResources } from "./resources.ts";
import { containerSecurity } from "./security.ts";

/** What containers need to know about their pod. */
export interface Surroundings {
  readonly spec: Loose<PodSpec>;
  readonly volumes: ReadonlyMap<string, Loose<Volume>>;
  readonly claims: ReadonlySet<string>;
}

const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const hostUsers = ({ hostUsers: value }: Loose<PodSpec>) => value !== false;

export function* containers(field: string, around: Surroundings): Problems {
  const { containers: all, terminationGracePeriodSeconds: grace, os } = around.spec;
  if (!all?.length) return yield fieldError.required(field);
  const names = new Set<string>();
  for (const [i, container] of all.entries()) {
    const at = `${field}[${i}]`;
    yield* common(at, container, around);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    if (container.lifecycle) yield* lifecycle(`${at}.lifecycle`, container.lifecycle, grace, os?.name ?? "");
    yield* probes(at, container, grace);
    yield* restartPolicy(at, container);
  }
  yield* hostPorts(field, all);
}

const LATER = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

export function* initContainers(field: string, around: Surroundings): Problems {
  const { initContainers: all, containers: regular, terminationGracePeriodSeconds: grace, os } = around.spec;
  const names = new Set((regular ?? []).map(({ name }) => name ?? ""));
  for (const [i, container] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* common(at, container, around);
    yield* restartPolicy(at, container);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    yield* hostPorts(field, [container]);
    if (container.restartPolicy === "Always") {
      yield* lifecycle(`${at}.lifecycle`, container.lifecycle, grace, os?.name ?? "");
      yield* probes(at, container, grace);
    } else {
      for (const name of LATER) {
        if (container[name]) yield fieldError.forbidden(`${at}.${name}`, "may not be set for init containers without restartPolicy=Always");
      }
    }
  }
}

const EPHEMERAL_FORBIDDEN = ["ports", "resources", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "resizePolicy"] as const;
const NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";

export function* ephemeralContainers(field: string, around: Surroundings): Problems {
  const { ephemeralContainers: all, containers: regular, initContainers: init } = around.spec;
  const targets = new Set([...(regular ?? []), ...(init ?? [])].map(({ name }) => name ?? ""));
  const names = new Set(targets);
  for (const [i, container] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    yield* common(at, container as Loose<Container>, around);
    yield* trimmedImage(at, container);
    if (names.has(container.name ?? "")) yield fieldError.duplicate(`${at}.name`, container.name);
    names.add(container.name ?? "");
    const target = container.targetContainerName;
    if (target && !targets.has(target)) yield fieldError.notFound(`${at}.targetContainerName`, target);
    for (const name of EPHEMERAL_FORBIDDEN) if (isSet(container[name])) yield fieldError.forbidden(`${at}.${name}`, NOT_EPHEMERAL);
    yield* noSubPaths(at, container);
  }
}

function isSet(value: unknown): boolean {
  return value != null && Object.keys(value).length > 0;
}

function* noSubPaths(field: string, { volumeMounts }: Loose<EphemeralContainer>): Problems {
  for (const [i, { subPath, subPathExpr }] of (volumeMounts ?? []).entries()) {
    if (subPath) yield fieldError.forbidden(`${field}.volumeMounts[${i}].subPath`, NOT_EPHEMERAL);
    if (subPathExpr) yield fieldError.forbidden(`${field}.volumeMounts[${i}].subPathExpr`, NOT_EPHEMERAL);
  }
}

/** In a pod, not in a template: an image with blanks around it is a mistake. */
export function* trimmedImage(field: string, { image }: Pick<Loose<Container>, "image">): Problems {
  if (image && image !== image.trim()) yield fieldError.invalid(`${field}.image`, image, "must not have leading or trailing whitespace");
}

function* common(field: string, container: Loose<Container>, { spec, volumes, claims }: Surroundings): Problems {
  if (!container.name) yield fieldError.required(`${field}.name`);
  else yield* dnsLabel(`${field}.name`, container.name);
  if (!container.image) yield fieldError.required(`${field}.image`);
  yield* oneOf(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES);
  if (container.ports) yield* ports(`${field}.ports`, container.ports);
  if (container.env) yield* env(`${field}.env`, container.env);
  if (container.envFrom) yield* envFrom(`${field}.envFrom`, container.envFrom);
  if (container.volumeMounts || container.volumeDevices) yield* mounts(field, container, volumes);
  yield* oneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES);
  if (container.resources) yield* containerResources(`${field}.resources`, container.resources, claims);
  if (container.resizePolicy) yield* resizePolicy(`${field}.resizePolicy`, container, spec.restartPolicy ?? "");
  if (container.securityContext) yield* containerSecurity(`${field}.securityContext`, container.securityContext, hostUsers(spec));
}

function* ports(field: string, all: readonly Loose<ContainerPort>[] | null | undefined): Problems {
  const names = new Set<string>();
  for (const [i, { name, containerPort, hostPort, protocol }] of (all ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (name) {
      const problems = portNameProblems(name);
      yield* invalidFor(`${at}.name`, name, problems);
      if (problems.length === 0 && names.has(name)) yield fieldError.duplicate(`${at}.name`, name);
      names.add(name);
    }
    if (!containerPort) yield fieldError.required(`${at}.containerPort`);
    else yield* invalidFor(`${at}.containerPort`, containerPort, portNumberProblems(containerPort));
    if (hostPort) yield* invalidFor(`${at}.hostPort`, hostPort, portNumberProblems(hostPort));
    yield* oneOf(`${at}.protocol`, protocol, PROTOCOLS);
  }
}

function* hostPorts(field: string, all: readonly Loose<Container>[]): Problems {
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

function restartPolicy(field: string, container: Loose<Container>): Problems {
  const { restartPolicy: policy, restartPolicyRules: rules } = container;
  if (policy != null) return maybeOneOf(`${field}.restartPolicy`, policy, RESTART_POLICIES);
  return rules?.length ? [fieldError.required(`${field}.restartPolicy`, "must specify restartPolicy when restart rules are used")] : [];
}

function* resizePolicy(field: string, container: Loose<Container>, podRestartPolicy: string): Problems {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy: policy }] of (container.resizePolicy ?? []).entries()) {
    if (seen.has(resourceName ?? "")) yield fieldError.duplicate(`${field}[${i}]`, resourceName);
    seen.add(resourceName ?? "");
    yield* oneOf(field, resourceName, ["cpu", "memory"]);
    yield* oneOf(field, policy, ["NotRequired", "RestartContainer"]);
    if (podRestartPolicy === "Never" && policy !== "NotRequired") {
      yield fieldError.invalid(field, policy ?? "", "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}
