/** The Kubernetes and tool versions that conformance is tested against. */
export const versions = {
  /** What the embedded cluster is compared with. */
  kubernetes: "1.36.3",
  /** The older minors that operators are supported on: docs/compatibility.md. */
  olderKubernetes: ["1.35.4", "1.34.4", "1.33.13"],
  etcd: "3.6.16",
  /** The oldest minor version of etcd that the store supports. */
  oldEtcd: "3.5.35",
  kwok: "0.8.0",
} as const;

/** Selects the Kubernetes version of a real control plane: a minor such as "1.35", or a whole version. Default: the newest. */
export const KUBERNETES_VARIABLE = "PINTLE_KUBERNETES";

/** The Kubernetes version that the environment selects; throws if it is not a supported one. */
export function selectedKubernetes(env: NodeJS.ProcessEnv = process.env): string {
  const wanted = env[KUBERNETES_VARIABLE];
  if (!wanted) return versions.kubernetes;
  const all: readonly string[] = [versions.kubernetes, ...versions.olderKubernetes];
  const found = all.find((each) => each === wanted || each.startsWith(`${wanted}.`));
  if (found === undefined) throw new Error(`Kubernetes ${wanted}: not one of ${all.join(", ")}`);
  return found;
}

/** Whether the selected Kubernetes version is older than a minor such as "1.36". */
export function isOlderKubernetes(minor: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const minorOf = (version: string) => Number(version.split(".")[1]);
  return minorOf(selectedKubernetes(env)) < minorOf(minor);
}
