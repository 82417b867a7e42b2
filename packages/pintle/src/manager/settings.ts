/** What the manifests of operators say by flags and environment. */
export interface Settings {
  readonly leaderElection: boolean | undefined;
  /** Undefined: not said. "0": off. */
  readonly metrics: string | undefined;
  readonly secureMetrics: boolean | undefined;
  readonly health: string | undefined;
  readonly kubeconfig: string | undefined;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Where this process runs. */
  readonly podNamespace: string | undefined;
  readonly podName: string | undefined;
}

/**
 * Reads `--leader-elect`, `--metrics-bind-address`, `--metrics-secure`, `--health-probe-bind-address` and `--kubeconfig`, with
 * one dash or two, `=` or a space; and WATCH_NAMESPACE, POD_NAMESPACE and POD_NAME. Other flags are the program's own.
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
    health: given.get("health-probe-bind-address"),
    kubeconfig: given.get("kubeconfig"),
    namespaces: watched === undefined || watched.length === 0 ? undefined : watched,
    podNamespace: env["POD_NAMESPACE"] || undefined,
    podName: env["POD_NAME"] || undefined,
  };
}
/** These take no value after a space. */
const SWITCHES = new Set(["leader-elect", "metrics-secure"]);
