import { parseArgs } from "node:util";
import { PintleError } from "pintle/internal/errors";
import type { LeaseTimings } from "pintle/internal/manager";
import { type ManagerGates, SYSTEM_NAMESPACE } from "../manager/index.ts";
import { UPSTREAM_TIMINGS } from "./leases.ts";

/** The settings of the program. */
export interface ProgramFlags {
  readonly help: boolean;
  readonly kubeconfig: string | undefined;
  readonly leaderElect: boolean;
  readonly leaseTimings: LeaseTimings;
  /** "0": none. */
  readonly healthAddress: string;
  readonly catalogAddress: string;
  /** "0": none. */
  readonly webhookAddress: string;
  /** Host and port at which the cluster reaches the catalogs. */
  readonly externalAddress: string;
  readonly systemNamespace: string;
  /** Emptied at the start. */
  readonly cacheFolder: string;
  /** Files, certificates that the program issues into Secrets, or plain HTTP without a webhook. */
  readonly certificates: { readonly cert: string; readonly key: string } | "issued" | undefined;
  /** Registries that are reached over plain HTTP. */
  readonly insecureRegistries: readonly string[];
  /** Names the Secret with logins for registries. */
  readonly globalPullSecret: { readonly namespace: string; readonly name: string } | undefined;
  readonly gates: ManagerGates;
  /** Serve `/api/v1/metas`. */
  readonly metas: boolean;
}

const OPTIONS = {
  help: ["boolean", "print this help"],
  kubeconfig: ["string", "path of a kubeconfig (default: the ServiceAccount of the pod, or the one of kubectl)"],
  "leader-elect": ["boolean", "hold the leases of catalogd and operator-controller, and do nothing without them"],
  "leader-elect-lease-duration": ["string", "how long others wait after the last renewal of a lease (default: 137s)"],
  "leader-elect-renew-deadline": ["string", "how long the leader goes on without a renewal (default: 107s)"],
  "leader-elect-retry-period": ["string", "time between attempts to acquire or renew a lease (default: 26s)"],
  "health-probe-bind-address": ["string", 'address of /healthz and /readyz (default: ":8081"; "0": none)'],
  "catalogs-server-addr": ["string", 'address at which catalogs are served (default: ":8443")'],
  "webhook-server-port": ["string", 'port of the webhook that labels catalogs (default: "9443"; "0": none)'],
  "external-address": ["string", "host of the URLs of catalogs (default: catalogd-service.<system namespace>.svc)"],
  "system-namespace": ["string", 'namespace of leases, and of the Secrets of revisions (default: POD_NAMESPACE, or "olmv1-system")'],
  "cache-dir": ["string", 'folder for the content of catalogs, emptied at the start (default: "/var/cache")'],
  "tls-cert": ["string", "certificate of the catalog server and the webhook, read again when it changes; needs --tls-key"],
  "tls-key": ["string", "key of --tls-cert"],
  "issue-certificates": ["boolean", "issue certificates into Secrets of the system namespace, and renew them"],
  "insecure-registry": ["string[]", "registry that is reached over plain HTTP, as host:port; those on the loopback interface always are"],
  "global-pull-secret": ["string", "Secret with logins for registries, as namespace/name; those of the ServiceAccount are also used"],
  "feature-gates": ["string[]", "comma-separated gates, such as SingleOwnNamespaceInstallSupport=true"],
} as const;

const GATES = [
  "SingleOwnNamespaceInstallSupport",
  "DeploymentConfig",
  "BundleReleaseSupport",
  "WebhookProviderCertManager",
  "WebhookProviderOpenshiftServiceCA",
] as const satisfies readonly (keyof ManagerGates)[];

/** Gates of upstream that choose what this program always is. */
const FIXED_GATES: Readonly<Record<string, boolean>> = { BoxcutterRuntime: true };

const METAS_GATE = "APIV1MetasHandler";

const invalid = (message: string) => new PintleError("PINTLE8052", `${message}. See --help`);

/** Reads the flags of catalogd and operator-controller that have a meaning here. Throws for one that has none. */
export function parseProgramFlags(args: readonly string[], env: Readonly<Record<string, string | undefined>>): ProgramFlags {
  const values = parse(args);
  const text = (name: keyof typeof OPTIONS) => values[name] as string | undefined;
  const [cert, key] = [text("tls-cert"), text("tls-key")];
  if ((cert === undefined) !== (key === undefined)) throw invalid("--tls-cert and --tls-key must be used together");
  const issues = values["issue-certificates"] === true;
  if (issues && cert !== undefined) throw invalid("--issue-certificates and --tls-cert exclude each other");
  const systemNamespace = text("system-namespace") ?? env["POD_NAMESPACE"] ?? SYSTEM_NAMESPACE;
  const port = text("webhook-server-port") ?? "9443";
  const gates = parseGates((values["feature-gates"] ?? []) as readonly string[]);
  const { [METAS_GATE]: metas = true, ...managerGates } = gates;
  return {
    help: values["help"] === true,
    kubeconfig: text("kubeconfig"),
    leaderElect: values["leader-elect"] === true,
    leaseTimings: {
      leaseDuration: parseDuration(text("leader-elect-lease-duration")) ?? UPSTREAM_TIMINGS.leaseDuration,
      renewDeadline: parseDuration(text("leader-elect-renew-deadline")) ?? UPSTREAM_TIMINGS.renewDeadline,
      retryPeriod: parseDuration(text("leader-elect-retry-period")) ?? UPSTREAM_TIMINGS.retryPeriod,
    },
    healthAddress: text("health-probe-bind-address") ?? ":8081",
    catalogAddress: text("catalogs-server-addr") ?? ":8443",
    webhookAddress: port === "0" ? "0" : `:${port}`,
    externalAddress: text("external-address") ?? `catalogd-service.${systemNamespace}.svc`,
    systemNamespace,
    cacheFolder: text("cache-dir") ?? "/var/cache",
    certificates: cert !== undefined ? { cert, key: key! } : issues ? "issued" : undefined,
    insecureRegistries: (values["insecure-registry"] ?? []) as readonly string[],
    globalPullSecret: parseSecretName(text("global-pull-secret")),
    gates: managerGates,
    metas,
  };
}

function parse(args: readonly string[]): Readonly<Record<string, unknown>> {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, [type]]) => [
      name,
      { type: type === "boolean" ? ("boolean" as const) : ("string" as const), multiple: type === "string[]" },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw invalid((error as Error).message.replace(/\. .*$/s, ""));
  }
}

function parseDuration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d+)(s|m)$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0) throw invalid(`invalid duration ${JSON.stringify(text)}: write 15s or 2m`);
  return Number(count) * (unit === "s" ? 1_000 : 60_000);
}

function parseSecretName(text: string | undefined) {
  if (text === undefined) return undefined;
  const [namespace = "", name = "", ...more] = text.split("/");
  if (namespace === "" || name === "" || more.length > 0)
    throw invalid("value of global-pull-secret should be of the format <namespace>/<name>");
  return { namespace, name };
}

function parseGates(lists: readonly string[]): ManagerGates & { readonly [METAS_GATE]?: boolean } {
  const gates: Record<string, boolean> = {};
  for (const pair of lists.flatMap((list) => list.split(",")).filter((each) => each !== "")) {
    const [, name, value] = /^\s*([A-Za-z0-9]+)=(true|false)\s*$/.exec(pair) ?? [];
    if (name === undefined) throw invalid(`invalid feature gate ${JSON.stringify(pair)}: write Name=true or Name=false`);
    const isOn = value === "true";
    const fixed = FIXED_GATES[name];
    if (fixed !== undefined && fixed !== isOn)
      throw invalid(`cannot set feature gate ${name} to ${value}: this manager has only one runtime`);
    if (fixed === undefined && ![...GATES, METAS_GATE].includes(name as never)) throw invalid(`unrecognized feature gate: ${name}`);
    if (fixed === undefined) gates[name] = isOn;
  }
  return gates;
}

/** The help text. */
export function formatProgramHelp(): string {
  const width = Math.max(...Object.keys(OPTIONS).map((name) => name.length));
  const lines = Object.entries(OPTIONS).map(([name, [, text]]) => `  --${name.padEnd(width)}  ${text}`);
  return `pintle-lifecycle-manager: the controllers of OLM v1, with the catalog server and its webhook\n\n${lines.join("\n")}\n\nGates: ${[...GATES, METAS_GATE].join(", ")}\n`;
}
