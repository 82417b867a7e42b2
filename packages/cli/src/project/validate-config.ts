import { CommandError } from "../command/index.ts";
import type { Config } from "./config.ts";
import {
  anyText,
  boolean,
  callback,
  countOrPercentage,
  exactlyOne,
  fields,
  integer,
  label,
  list,
  object,
  oneOf,
  orList,
  orObject,
  quantity,
  record,
  subdomain,
  text,
  type Validator,
} from "./config-validators.ts";

const PROBE = fields({
  initialDelaySeconds: integer(0),
  periodSeconds: integer(1),
  timeoutSeconds: integer(1),
  failureThreshold: integer(1),
});
const BUDGET = { minAvailable: countOrPercentage, maxUnavailable: countOrPercentage };
const ENVIRONMENT_SOURCE = { secret: subdomain, configMap: subdomain, prefix: anyText, optional: boolean };
const VOLUME_SOURCES = {
  secret: subdomain,
  configMap: subdomain,
  persistentVolumeClaim: subdomain,
  emptyDir: fields({ medium: anyText, sizeLimit: quantity }),
  source: object,
};
const VOLUME = fields({ ...VOLUME_SOURCES, mountPath: text, subPath: text, readOnly: boolean });

/** The levels and categories that operatorhub.io and OpenShift know. */
const CAPABILITIES = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
const CATEGORIES = [
  ...["AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Database", "Developer Tools", "Integration & Delivery"],
  ...["Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking", "Observability", "OpenShift Optional", "Security"],
  ...["Storage", "Streaming & Messaging"],
];

/** Every option of `pintle.config.ts`. The type makes the list complete. */
const OPTIONS: { readonly [Option in keyof Config]-?: Validator } = {
  domain: subdomain,
  name: label,
  entry: text,
  namespace: label,
  image: text,
  imagePullSecrets: list(subdomain, "a list of names of Secrets"),
  namespaces: oneOf('"all", "own" or a list of namespaces', ["all", "own"], orList(label)),
  replicas: integer(0),
  resources: fields({ requests: record(quantity), limits: record(quantity) }),
  env: findEnvironmentProblems,
  envFrom: list(exactlyOne(["secret", "configMap"], fields(ENVIRONMENT_SOURCE))),
  args: list(anyText, "a list of strings"),
  volumes: findVolumeProblems,
  probes: fields({ liveness: PROBE, readiness: PROBE, startup: PROBE }),
  nodeSelector: record(anyText),
  tolerations: list(object),
  affinity: object,
  priorityClassName: subdomain,
  topologySpread: oneOf('"default", false or a list of constraints', ["default", false], orList(object)),
  podDisruptionBudget: oneOf(
    "true, false, { minAvailable } or { maxUnavailable }",
    [true, false],
    orObject(exactlyOne(Object.keys(BUDGET), fields(BUDGET))),
  ),
  prometheus: boolean,
  networkPolicy: oneOf(
    "true, false or { egress }",
    [true, false],
    orObject(fields({ egress: oneOf('"all" or a list of rules', ["all"], orList(object)) })),
  ),
  aggregateUserRoles: boolean,
  webhookCertificates: oneOf(
    '"pintle", "cert-manager" or { secret }',
    ["pintle", "cert-manager"],
    orObject(exactlyOne(["secret"], fields({ secret: subdomain }))),
  ),
  olm: fields({
    package: subdomain,
    displayName: text,
    description: text,
    icon: text,
    provider: fields({ name: text, url: text }),
    maintainers: list(fields({ name: text, email: text })),
    links: list(fields({ name: text, url: text })),
    keywords: list(text),
    categories: list(oneOf(`one of ${CATEGORIES.join(", ")}`, CATEGORIES)),
    maturity: text,
    capabilities: oneOf(`one of ${CAPABILITIES.join(", ")}`, CAPABILITIES),
    minKubeVersion: text,
    channels: list(text),
    replaces: text,
    skips: list(text),
    skipRange: text,
    relatedImages: record(text),
  }),
  overlay: callback,
};
/** The names of all options, in the order of the type. */
export const CONFIG_OPTIONS = Object.keys(OPTIONS) as readonly (keyof Config)[];

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const VOLUME_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Throws PINTLE7094 with every problem of a configuration, so that a mistake is not found by the API server during a deployment. */
export function validateConfig(config: Config): void {
  const problems = [...findProblems(config)];
  if (problems.length > 0)
    throw new CommandError("PINTLE7094", `pintle.config.ts is not valid:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
}

function* findProblems(config: Config): Generator<string> {
  for (const [option, value] of Object.entries(config)) {
    if (!Object.hasOwn(OPTIONS, option)) yield `${option}: unknown option; the options are ${CONFIG_OPTIONS.join(", ")}`;
    else if (value !== undefined) yield* OPTIONS[option as keyof Config](value, option);
  }
}

function* findEnvironmentProblems(env: unknown, path: string): Generator<string> {
  yield* object(env, path);
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!ENVIRONMENT_NAME.test(name)) yield `${path}: "${name}" is not a name of an environment variable`;
    if (!isEnvironmentValue(value)) yield `${path}.${name}: must be a string, { secret, key }, { configMap, key } or { field }`;
  }
}

function isEnvironmentValue(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const { secret, configMap, field, key } = value as Readonly<Record<string, unknown>>;
  if (field !== undefined) return typeof field === "string" && key === undefined;
  return typeof (secret ?? configMap) === "string" && (secret === undefined) !== (configMap === undefined) && typeof key === "string";
}

function* findVolumeProblems(volumes: unknown, path: string): Generator<string> {
  yield* record(exactlyOne(Object.keys(VOLUME_SOURCES), VOLUME))(volumes, path);
  const mountPaths = new Set<unknown>();
  for (const [name, volume] of Object.entries(volumes ?? {})) {
    const { mountPath } = (volume ?? {}) as { readonly mountPath?: unknown };
    if (!VOLUME_NAME.test(name)) yield `${path}: "${name}" must be lower-case letters, digits and dashes`;
    if (!String(mountPath ?? "").startsWith("/")) yield `${path}.${name}.mountPath: must be an absolute path`;
    if (mountPaths.has(mountPath)) yield `${path}.${name}.mountPath: another volume is mounted at ${String(mountPath)}`;
    mountPaths.add(mountPath);
  }
}
