import { join } from "node:path";
import type { CertificateFiles } from "../tls/index.ts";
import { addressOf } from "./listen.ts";
import type { LeaderElection, MetricsOptions, WebhookServerOptions } from "./options.ts";

/** What the manifests of operators say by flags and environment. */
export interface Settings {
  readonly leaderElection: boolean | undefined;
  /** Undefined: not said. "0": off. */
  readonly metrics: string | undefined;
  /** Undefined: not said. */
  readonly secureMetrics: boolean | undefined;
  readonly metricsCertificate: CertificateFiles | undefined;
  /** Where webhooks are served. Undefined: not said. "0": off. */
  readonly webhooks: string | undefined;
  /** The prefix of the objects that belong to the webhooks, whose certificates are then issued here. */
  readonly webhookName: string | undefined;
  readonly webhookCertificate: CertificateFiles | undefined;
  readonly health: string | undefined;
  readonly kubeconfig: string | undefined;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Where this process runs. */
  readonly podNamespace: string | undefined;
  /** What the operator is called. */
  readonly operatorName: string | undefined;
}

/**
 * Reads `--leader-elect`, `--metrics-bind-address`, `--metrics-secure`, `--metrics-cert-path`, `-name` and `-key`,
 * `--webhook-bind-address`, `--webhook-name`, `--webhook-cert-path`, `-name` and `-key`, `--health-probe-bind-address` and
 * `--kubeconfig`, with one dash or two, `=` or a space; and WATCH_NAMESPACE, POD_NAMESPACE and OPERATOR_NAME. Other flags are the program's own.
 */
export function settings(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Settings {
  const given = new Map<string, string>();
  for (const [i, arg] of args.entries()) {
    const [, name, value] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    const after = args[i + 1];
    given.set(name, value ?? (after === undefined || after.startsWith("-") || SWITCHES.has(name) ? "true" : after));
  }
  const isOn = (name: string) => {
    const value = given.get(name);
    return value === undefined ? undefined : ["true", "1", "t"].includes(value.toLowerCase());
  };
  const watched = env["WATCH_NAMESPACE"]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return {
    leaderElection: isOn("leader-elect"),
    metrics: given.get("metrics-bind-address"),
    secureMetrics: isOn("metrics-secure"),
    metricsCertificate: certificateIn(given, "metrics"),
    webhooks: given.get("webhook-bind-address"),
    webhookName: given.get("webhook-name"),
    webhookCertificate: certificateIn(given, "webhook"),
    health: given.get("health-probe-bind-address"),
    kubeconfig: given.get("kubeconfig"),
    namespaces: watched === undefined || watched.length === 0 ? undefined : watched,
    podNamespace: env["POD_NAMESPACE"] || undefined,
    operatorName: env["OPERATOR_NAME"] || undefined,
  };
}
/** These take no value after a space. */
const SWITCHES = new Set(["leader-elect", "metrics-secure"]);

function certificateIn(given: ReadonlyMap<string, string>, of: "metrics" | "webhook"): CertificateFiles | undefined {
  const folder = given.get(`${of}-cert-path`);
  if (folder === undefined || folder === "") return undefined;
  return {
    cert: join(folder, given.get(`${of}-cert-name`) ?? "tls.crt"),
    key: join(folder, given.get(`${of}-cert-key`) ?? "tls.key"),
  };
}

/** How a leader is elected, where the manifest wants one: the Lease is called as the operator is. */
export function electionOf({ leaderElection, podNamespace, operatorName }: Settings): LeaderElection | false {
  return leaderElection === true ? { namespace: podNamespace, name: operatorName } : false;
}

const METRICS = ":8080";
const LOOPBACK = /^(127\.|localhost$|::1$)/;

/**
 * How metrics are served. An address that a manifest gives is served as the operators that such manifests were written for
 * serve it: over TLS and guarded, unless it says otherwise, or only a proxy on the same host can reach it.
 */
export function metricsOf({ metrics, secureMetrics, metricsCertificate }: Settings): MetricsOptions {
  const address = metrics ?? METRICS;
  const { host = "" } = addressOf(address) ?? {};
  const guarded = secureMetrics ?? (metrics !== undefined && !LOOPBACK.test(host));
  return { address, guarded, tls: guarded && (metricsCertificate ?? true) };
}

/** How webhooks are served, where the manifest says it: with a certificate from files, or one that is issued here. */
export function webhooksOf({ webhooks, webhookName, webhookCertificate, podNamespace }: Settings): WebhookServerOptions {
  if (webhookCertificate !== undefined) return { address: webhooks, certificates: webhookCertificate };
  if (webhookName === undefined) return { address: webhooks };
  if (podNamespace === undefined)
    throw new TypeError("--webhook-name keeps certificates in a Secret beside the operator: set POD_NAMESPACE to the namespace it runs in");
  return { address: webhooks, certificates: { issued: webhookName, namespace: podNamespace } };
}
