import { isIP, isIPv4 } from "node:net";
import type { AuditOptions, AuditWebhookOptions } from "../../interceptors/index.ts";
import { ADMISSION_PLUGINS, FEATURE_GATES } from "../generated/kube-apiserver-flags.ts";
import { parseDurationSeconds } from "./flag-values.ts";
import type { ParsedFlags } from "./flags.ts";

/** The supported settings of a kube-apiserver command line. Files are named, not read. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly advertise: string | undefined;
  readonly certDir: string;
  /** If empty, the certificate in `certDir` is used, or created. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string;
  readonly tokenFile: string;
  readonly anonymous: boolean;
  readonly accounts: {
    readonly issuers: readonly string[];
    readonly audiences: readonly string[];
    readonly keyFiles: readonly string[];
    readonly signingKeyFile: string;
    readonly lookup: boolean;
    readonly longestSeconds: number | undefined;
  };
  readonly authorization: readonly (typeof SERVED_MODES)[number][];
  readonly plugins: { readonly enable: readonly string[]; readonly disable: readonly string[] };
  readonly allowPrivileged: boolean;
  /** Empty: no plugin is configured. */
  readonly admissionConfigFile: string;
  readonly shardedListAndWatch: boolean;
  /** Fields of /version that replace the server's own. */
  readonly versionInfo: Readonly<Record<string, string>>;
  readonly serviceRange: string;
  readonly nodePorts: { readonly first: number; readonly last: number };
  /** Undefined without --audit-log-path and --audit-policy-file: kube-apiserver then records nothing. */
  readonly audit: AuditOptions | undefined;
  readonly etcd: {
    readonly servers: readonly string[];
    readonly prefix: string;
    readonly caFile: string;
    readonly certFile: string;
    readonly keyFile: string;
  };
}

/** A command line with invalid settings, with the messages of kube-apiserver. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] as string) : `[${problems.join(", ")}]`);
  }
}

/** Flags that have an effect. */
export const SUPPORTED_FLAGS: ReadonlySet<string> = new Set([
  "admission-control",
  "admission-control-config-file",
  "advertise-address",
  "allow-privileged",
  "anonymous-auth",
  "api-audiences",
  "audit-log-compress",
  "audit-log-maxage",
  "audit-log-maxbackup",
  "audit-log-maxsize",
  "audit-log-path",
  "audit-policy-file",
  "audit-webhook-batch-buffer-size",
  "audit-webhook-batch-max-size",
  "audit-webhook-batch-max-wait",
  "audit-webhook-batch-throttle-burst",
  "audit-webhook-batch-throttle-enable",
  "audit-webhook-batch-throttle-qps",
  "audit-webhook-config-file",
  "audit-webhook-initial-backoff",
  "authorization-mode",
  "bind-address",
  "cert-dir",
  "client-ca-file",
  "disable-admission-plugins",
  "enable-admission-plugins",
  "etcd-cafile",
  "etcd-certfile",
  "etcd-keyfile",
  "etcd-prefix",
  "etcd-servers",
  "help",
  "secure-port",
  "service-account-issuer",
  "service-account-key-file",
  "service-account-lookup",
  "service-account-max-token-expiration",
  "service-account-signing-key-file",
  "service-cluster-ip-range",
  "service-node-port-range",
  "tls-cert-file",
  "tls-private-key-file",
  "token-auth-file",
  "version",
  "version-info",
]);

const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];
const SERVED_MODES = ["Node", "RBAC", "AlwaysAllow", "AlwaysDeny"] as const;
const DEFAULT_RANGE = "10.0.0.0/24";
const NON_NEGATIVE_FLAGS = ["max-requests-inflight", "max-mutating-requests-inflight", "request-timeout", "min-request-timeout"];
const MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];

/** Errors of plugins that require --admission-control-config-file. */
const MISSING_PLUGIN_CONFIG: Readonly<Record<string, string>> = {
  EventRateLimit: "limits: Invalid value: null: must not be empty",
  ImagePolicyWebhook: "no config specified",
};

/** Validates the flags. Throws SettingsError for what kube-apiserver refuses, and for the few settings that are not supported. */
export function parseServerSettings(flags: ParsedFlags): ServerSettings {
  const { text, list, flag, given } = flags;
  const modes = given.has("authorization-mode") ? list("authorization-mode") : ["AlwaysAllow"];
  const problems = [
    ...validateEtcd(flags),
    ...validateServing(flags),
    ...validateServiceAccounts(flags),
    ...validateAuthorizationModes(modes),
  ];
  problems.push(
    ...validateAdmissionPlugins(flags),
    ...validateFeatureGates(flags),
    ...validateRuntimeConfig(flags),
    ...validateServiceRange(flags),
    ...validateAuditLimits(flags),
    ...validateAuditWebhook(flags),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  const unconfigured =
    text("admission-control-config-file") === "" ? listEnabledPlugins(flags).find((name) => name in MISSING_PLUGIN_CONFIG) : undefined;
  if (unconfigured !== undefined) {
    const reason = `couldn't init admission plugin ${JSON.stringify(unconfigured)}: ${MISSING_PLUGIN_CONFIG[unconfigured]}`;
    throw new SettingsError([`failed to apply admission: ${reason}`]);
  }
  const issuers = given.get("service-account-issuer") ?? [];
  const maxExpiration = text("service-account-max-token-expiration");
  const [first, last] = text("service-node-port-range").split("-").map(Number) as [number, number];
  const authorization = SERVED_MODES.filter((mode) => modes.includes(mode));
  return {
    host: text("bind-address") || "0.0.0.0",
    port: Number(text("secure-port")),
    advertise: given.get("advertise-address")?.at(-1),
    certDir: text("cert-dir"),
    certFile: text("tls-cert-file"),
    keyFile: text("tls-private-key-file"),
    clientCaFile: text("client-ca-file"),
    tokenFile: text("token-auth-file"),
    // Anonymous users must not be allowed everything.
    anonymous: !modes.includes("AlwaysAllow") && (!given.has("anonymous-auth") || flag("anonymous-auth")),
    accounts: {
      issuers,
      audiences: given.has("api-audiences") ? list("api-audiences") : issuers,
      keyFiles: given.get("service-account-key-file") ?? [],
      signingKeyFile: text("service-account-signing-key-file"),
      lookup: flag("service-account-lookup"),
      longestSeconds: maxExpiration === "" ? undefined : parseDurationSeconds(maxExpiration) || undefined,
    },
    authorization,
    plugins: { enable: listEnabledPlugins(flags), disable: list("disable-admission-plugins") },
    admissionConfigFile: text("admission-control-config-file"),
    shardedListAndWatch: list("feature-gates").some((each) => /^(kube:)?ShardedListAndWatch=(1|t|T|TRUE|true|True)$/.test(each)),
    versionInfo: parseVersionFields(list("version-info")),
    allowPrivileged: flag("allow-privileged"),
    serviceRange: splitRanges(text("service-cluster-ip-range"))[0] ?? DEFAULT_RANGE,
    nodePorts: { first, last: last ?? first },
    audit: parseAuditSettings(flags),
    etcd: {
      servers: list("etcd-servers"),
      prefix: text("etcd-prefix"),
      caFile: text("etcd-cafile"),
      certFile: text("etcd-certfile"),
      keyFile: text("etcd-keyfile"),
    },
  };
}

const VERSION_FIELDS = ["gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"];

/** Parses `gitCommit=...,buildDate=...`, the fields of /version. */
function parseVersionFields(pairs: readonly string[]): Readonly<Record<string, string>> {
  const fields = pairs.map((pair) => [pair.slice(0, Math.max(0, pair.indexOf("="))), pair.slice(pair.indexOf("=") + 1)] as const);
  const unknown = fields.find(([name]) => !VERSION_FIELDS.includes(name));
  if (unknown === undefined) return Object.fromEntries(fields);
  throw new SettingsError([
    `--version-info: ${JSON.stringify(unknown.join("="))} must be name=value with a name of: ${VERSION_FIELDS.join(", ")}`,
  ]);
}

function parseAuditSettings(flags: ParsedFlags): AuditOptions | undefined {
  const { text, flag } = flags;
  const [path, policy] = [text("audit-log-path"), text("audit-policy-file")];
  const webhook = parseAuditWebhook(flags);
  if (policy === "" || (path === "" && webhook === undefined)) return undefined;
  const [maxAge = 0, maxBackups = 0, maxSize = 0] = AUDIT_LIMITS.map((name) => Number(text(name)));
  return { path: path || undefined, webhook, policy, maxAge, maxBackups, maxSize, compress: flag("audit-log-compress") };
}

/** Events are always sent in batches: --audit-webhook-mode=blocking is refused. */
function parseAuditWebhook({ text, flag }: ParsedFlags): AuditWebhookOptions | undefined {
  const config = text("audit-webhook-config-file");
  if (config === "") return undefined;
  const milliseconds = (name: string) => parseDurationSeconds(text(name)) * 1000;
  const isThrottled = flag("audit-webhook-batch-throttle-enable");
  return {
    config,
    bufferSize: Number(text("audit-webhook-batch-buffer-size")),
    maxBatchSize: Number(text("audit-webhook-batch-max-size")),
    maxBatchWait: milliseconds("audit-webhook-batch-max-wait"),
    throttleQps: isThrottled ? Number(text("audit-webhook-batch-throttle-qps")) : Number.POSITIVE_INFINITY,
    throttleBurst: isThrottled ? Number(text("audit-webhook-batch-throttle-burst")) : Number.POSITIVE_INFINITY,
    initialBackoff: milliseconds("audit-webhook-initial-backoff"),
  };
}

const AUDIT_WEBHOOK_SIZES = ["batch-buffer-size", "batch-max-size"].map((name) => `audit-webhook-${name}`);
const AUDIT_MODES = ["batch", "blocking", "blocking-strict"];

function* validateAuditWebhook({ text, flag }: ParsedFlags): Iterable<string> {
  if (text("audit-webhook-config-file") === "") return;
  const mode = text("audit-webhook-mode");
  if (!AUDIT_MODES.includes(mode)) yield `invalid audit webhook mode ${mode}, allowed modes are ${JSON.stringify(AUDIT_MODES.join(","))}`;
  else if (mode !== "batch") yield `--audit-webhook-mode=${mode} is not supported by the drop-in of @pintle/cluster: use batch`;
  for (const name of AUDIT_WEBHOOK_SIZES) if (Number(text(name)) <= 0) yield `invalid --${name} ${text(name)}, must be a positive number`;
  if (!flag("audit-webhook-batch-throttle-enable")) return;
  for (const name of ["audit-webhook-batch-throttle-qps", "audit-webhook-batch-throttle-burst"])
    if (Number(text(name)) <= 0) yield `invalid --${name} ${text(name)}, must be a positive number`;
}

const AUDIT_LIMITS = ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"];

function* validateAuditLimits({ text }: ParsedFlags): Iterable<string> {
  if (text("audit-log-path") === "") return;
  for (const name of AUDIT_LIMITS) if (Number(text(name)) < 0) yield `--${name} ${text(name)} can't be a negative number`;
}

function* validateEtcd({ list, text }: ParsedFlags): Iterable<string> {
  if (list("etcd-servers").length === 0) yield "--etcd-servers must be specified";
  if (text("storage-backend") !== "" && text("storage-backend") !== "etcd3") {
    yield "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'";
  }
  if (list("etcd-servers-overrides").some((each) => !/^[^/]+\/[^/#]+#.+$/.test(each) && !/^\/[^/#]+#.+$/.test(each))) {
    yield "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated";
  }
  const type = text("storage-media-type");
  if (type !== "" && !MEDIA_TYPES.includes(type))
    yield `--storage-media-type ${JSON.stringify(type)} invalid, allowed values: ${MEDIA_TYPES.join(", ")}`;
}

function* validateServing({ text, given }: ParsedFlags): Iterable<string> {
  const port = Number(text("secure-port"));
  if (port < 1 || port > 65535) yield `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`;
  for (const name of NON_NEGATIVE_FLAGS) if (given.get(name)?.at(-1)?.startsWith("-")) yield `--${name} can not be negative value`;
}

function* validateServiceAccounts({ text, given }: ParsedFlags): Iterable<string> {
  const issuers = given.get("service-account-issuer") ?? [];
  const signing = text("service-account-signing-key-file");
  if (issuers.length === 0) yield "service-account-issuer is a required flag";
  if (issuers.includes("")) yield "service-account-issuer should not be an empty string";
  if (!given.has("service-account-key-file") && text("service-account-signing-endpoint") === "") {
    yield "either `--service-account-key-file` or `--service-account-signing-endpoint` must be set";
  }
  if (text("service-account-signing-endpoint") !== "") {
    yield "--service-account-signing-endpoint is not supported by the drop-in of @pintle/cluster: use --service-account-signing-key-file";
  } else if (signing === "" && issuers.length > 0) {
    yield "--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together";
  } else if (signing === "") yield "--service-account-signing-key-file and --service-account-issuer are required flags";
  const maxExpiration = given.get("service-account-max-token-expiration")?.at(-1);
  if (
    maxExpiration !== undefined &&
    parseDurationSeconds(maxExpiration) !== 0 &&
    (parseDurationSeconds(maxExpiration) < 3600 || parseDurationSeconds(maxExpiration) > 2 ** 32)
  ) {
    yield "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds";
  }
}

function* validateAuthorizationModes(modes: readonly string[]): Iterable<string> {
  for (const mode of modes) if (!AUTHORIZATION_MODES.includes(mode)) yield `authorization-mode ${JSON.stringify(mode)} is not a valid mode`;
  if (modes.includes("ABAC")) yield "authorization-mode ABAC's authorization policy file not passed";
  if (modes.includes("Webhook")) yield "authorization-mode Webhook's authorization config file not passed";
  if (new Set(modes).size < modes.length) {
    yield `authorization-mode [${modes.map((each) => JSON.stringify(each)).join(" ")}] has mode specified more than once`;
  }
}

function* validateAdmissionPlugins({ list }: ParsedFlags): Iterable<string> {
  const names = ["admission-control", "enable-admission-plugins", "disable-admission-plugins"];
  const [, enabled = [], disabled = []] = names.map(list);
  const overlap = enabled.filter((each) => disabled.includes(each));
  if (overlap.length > 0) yield `[${overlap.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`;
  for (const name of names) {
    for (const each of list(name)) if (!ADMISSION_PLUGINS.includes(each)) yield `${name} plugin ${JSON.stringify(each)} is unknown`;
  }
}

function* validateFeatureGates({ list }: ParsedFlags): Iterable<string> {
  for (const each of list("feature-gates")) {
    const [, component = "kube", pair = ""] = /^(?:([^:=]+):)?(.*)$/.exec(each) ?? [];
    const [gate = "", value] = pair.split("=");
    if (component !== "kube") yield `component not registered: ${component}`;
    else if (value === undefined) yield `missing bool value for ${gate}`;
    else if (!FEATURE_GATES.includes(gate)) yield `unrecognized feature gate: ${gate}`;
    else if (!/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value)) {
      yield `invalid value of ${gate}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
    }
  }
}

function* validateRuntimeConfig({ list }: ParsedFlags): Iterable<string> {
  for (const each of list("runtime-config")) {
    const [key = "", value] = each.split("=");
    if (!key.includes("/") && key !== "v1") yield `runtime-config invalid key ${key}`;
    else if (value !== undefined && value !== "" && !["true", "false"].includes(value)) yield `invalid value ${each}`;
  }
}

const splitRanges = (text: string) => text.split(",").filter((each) => each !== "");

function* validateServiceRange({ text }: ParsedFlags): Iterable<string> {
  const ranges = splitRanges(text("service-cluster-ip-range"));
  if (ranges.length > 2) yield "--service-cluster-ip-range must not contain more than two entries";
  const parts = ranges.map((range) => range.split("/"));
  for (const [i, [address = "", bits]] of parts.entries()) {
    const maxBits = isIPv4(address) ? 32 : 128;
    if (isIP(address) === 0 || bits === undefined || !/^\d+$/.test(bits) || Number(bits) > maxBits) {
      yield `service-cluster-ip-range[${i}] is not a valid cidr`;
      return;
    }
  }
  const [first] = parts;
  if (first === undefined) return;
  if (!isIPv4(first[0] as string)) {
    yield `--service-cluster-ip-range ${ranges[0]}: the drop-in of @pintle/cluster allocates only IPv4 addresses to services, so the first range must be IPv4`;
  } else if (Number(first[1]) > 29) {
    yield "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses";
  }
  if (parts.length === 2 && isIP(parts[0]?.[0] ?? "") === isIP(parts[1]?.[0] ?? "")) {
    yield "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family";
  }
}

const listEnabledPlugins = ({ list }: ParsedFlags) => [...list("enable-admission-plugins"), ...list("admission-control")];

/** Lists the given flags without effect, each once. */
export function listIgnoredFlags(flags: ParsedFlags): readonly string[] {
  return [...flags.given.keys()].filter((name) => !SUPPORTED_FLAGS.has(name)).map((name) => `--${name}`);
}
