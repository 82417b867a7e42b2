import { join } from "node:path";
import { PintleError } from "../errors/index.ts";
import type { CertificateFiles } from "../tls/index.ts";
import type { IssuedCertificates } from "../webhook/index.ts";
import { DEFAULTS } from "./defaults.ts";
import type { LeaderElectionOptions, MetricsServerOptions, WebhookServerOptions } from "./options.ts";
import { requiresAuthorization } from "./serving/http-server.ts";

/** The flags and environment variables of operator manifests. `undefined`: not set. */
export interface OperatorFlags {
  readonly leaderElection: boolean | undefined;
  /** "0": none. */
  readonly metricsAddress: string | undefined;
  readonly secureMetrics: boolean | undefined;
  readonly metricsCertificate: CertificateFiles | undefined;
  /** Name prefix of the objects of the metrics endpoint; if set, the operator issues its certificate itself. */
  readonly metricsName: string | undefined;
  /** "0": none. */
  readonly webhookAddress: string | undefined;
  /** Name prefix of the webhook objects; if set, the operator issues its certificates itself. */
  readonly webhookName: string | undefined;
  readonly webhookCertificate: CertificateFiles | undefined;
  readonly healthAddress: string | undefined;
  readonly kubeconfig: string | undefined;
  /** `undefined`: all. */
  readonly namespaces: readonly string[] | undefined;
  /** The namespace of the pod. */
  readonly podNamespace: string | undefined;
  /** The name of the operator. */
  readonly operatorName: string | undefined;
}

/**
 * Parses `--leader-elect`, `--metrics-bind-address`, `--metrics-secure`, `--metrics-name`, `--metrics-cert-path`, `-name` and
 * `-key`, `--webhook-bind-address`, `--webhook-name`, `--webhook-cert-path`, `-name` and `-key`, `--health-probe-bind-address` and
 * `--kubeconfig`, with one dash or two, `=` or a space; and WATCH_NAMESPACE, POD_NAMESPACE and OPERATOR_NAME. Other flags are ignored.
 */
export function parseFlags(args: readonly string[], env: Readonly<Record<string, string | undefined>>): OperatorFlags {
  const values = new Map<string, string>();
  for (const [i, arg] of args.entries()) {
    const [, name, value] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) continue;
    const after = args[i + 1];
    values.set(name, value ?? (after === undefined || after.startsWith("-") || SWITCHES.has(name) ? "true" : after));
  }
  const isOn = (name: string) => {
    const value = values.get(name);
    return value === undefined ? undefined : ["true", "1", "t"].includes(value.toLowerCase());
  };
  const watched = env["WATCH_NAMESPACE"]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return {
    leaderElection: isOn("leader-elect"),
    metricsAddress: values.get("metrics-bind-address"),
    secureMetrics: isOn("metrics-secure"),
    metricsCertificate: certificateFromFlags(values, "metrics"),
    metricsName: values.get("metrics-name"),
    webhookAddress: values.get("webhook-bind-address"),
    webhookName: values.get("webhook-name"),
    webhookCertificate: certificateFromFlags(values, "webhook"),
    healthAddress: values.get("health-probe-bind-address"),
    kubeconfig: values.get("kubeconfig"),
    namespaces: watched === undefined || watched.length === 0 ? undefined : watched,
    podNamespace: env["POD_NAMESPACE"] || undefined,
    operatorName: env["OPERATOR_NAME"] || undefined,
  };
}
/** Flags without a value after a space. */
const SWITCHES = new Set(["leader-elect", "metrics-secure"]);

function certificateFromFlags(values: ReadonlyMap<string, string>, of: "metrics" | "webhook"): CertificateFiles | undefined {
  const folder = values.get(`${of}-cert-path`);
  if (folder === undefined || folder === "") return undefined;
  return {
    cert: join(folder, values.get(`${of}-cert-name`) ?? "tls.crt"),
    key: join(folder, values.get(`${of}-cert-key`) ?? "tls.key"),
  };
}

/** Returns the leader election options; the Lease has the name of the operator. */
export function leaderElectionFromFlags({ leaderElection, podNamespace, operatorName }: OperatorFlags): LeaderElectionOptions | false {
  return leaderElection === true ? { namespace: podNamespace, name: operatorName } : false;
}

/**
 * Returns the metrics server options. As in kubebuilder's manifests, an address is served with TLS and authorization, unless
 * `--metrics-secure=false` is set or the address is a loopback one, for a proxy in the same pod.
 */
export function metricsServerFromFlags(flags: OperatorFlags): MetricsServerOptions {
  const { metricsAddress, secureMetrics, metricsCertificate, metricsName } = flags;
  const address = metricsAddress ?? DEFAULTS.metricsAddress;
  const requireAuthorization = secureMetrics ?? requiresAuthorization({ address });
  return {
    address,
    requireAuthorization,
    tls: requireAuthorization && (metricsCertificate ?? (metricsName === undefined || issuedFromFlags(flags, "metrics", metricsName))),
  };
}

/** Returns the webhook server options: a certificate from files, or issued by the operator. */
export function webhookServerFromFlags(flags: OperatorFlags): WebhookServerOptions {
  const { webhookAddress, webhookName, webhookCertificate } = flags;
  if (webhookCertificate !== undefined) return { address: webhookAddress, certificates: webhookCertificate };
  if (webhookName === undefined) return { address: webhookAddress };
  return { address: webhookAddress, certificates: issuedFromFlags(flags, "webhook", webhookName) };
}

function issuedFromFlags({ podNamespace }: OperatorFlags, of: "metrics" | "webhook", issued: string): IssuedCertificates {
  if (podNamespace !== undefined) return { issued, namespace: podNamespace };
  throw new PintleError(
    "PINTLE4007",
    `--${of}-name stores certificates in a Secret in the operator's namespace: set POD_NAMESPACE to that namespace`,
  );
}
