import type { ObjectPath } from "../protocol.ts";

/** The parts of an `ObjectPath`, decoded. */
export interface PathParts {
  /** Empty: the core group. */
  readonly group: string;
  readonly resource: string;
  /** Undefined: cluster-scoped. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The groups of built-in resources, whose keys in the store do not have them. */
const GROUPS: Readonly<Record<string, string>> = {
  deployments: "apps",
  replicasets: "apps",
  statefulsets: "apps",
  daemonsets: "apps",
  controllerrevisions: "apps",
  jobs: "batch",
  cronjobs: "batch",
  horizontalpodautoscalers: "autoscaling",
  poddisruptionbudgets: "policy",
  leases: "coordination.k8s.io",
  endpointslices: "discovery.k8s.io",
  ingresses: "networking.k8s.io",
  ingressclasses: "networking.k8s.io",
  networkpolicies: "networking.k8s.io",
  roles: "rbac.authorization.k8s.io",
  rolebindings: "rbac.authorization.k8s.io",
  clusterroles: "rbac.authorization.k8s.io",
  clusterrolebindings: "rbac.authorization.k8s.io",
  storageclasses: "storage.k8s.io",
  csinodes: "storage.k8s.io",
  csidrivers: "storage.k8s.io",
  volumeattachments: "storage.k8s.io",
  priorityclasses: "scheduling.k8s.io",
  runtimeclasses: "node.k8s.io",
  flowschemas: "flowcontrol.apiserver.k8s.io",
  prioritylevelconfigurations: "flowcontrol.apiserver.k8s.io",
  mutatingwebhookconfigurations: "admissionregistration.k8s.io",
  validatingwebhookconfigurations: "admissionregistration.k8s.io",
  validatingadmissionpolicies: "admissionregistration.k8s.io",
  validatingadmissionpolicybindings: "admissionregistration.k8s.io",
  certificatesigningrequests: "certificates.k8s.io",
};

/** The resources that a store keeps under another name. */
const STORED_AS: Readonly<Record<string, string>> = { minions: "nodes", "services/specs": "services", "services/endpoints": "endpoints" };

/** The path of a key of the store; `apiVersion` of its object is more certain than the table of built-in resources. */
export function pathOfKey(key: string, apiVersion?: string): ObjectPath {
  const parts = key.replace(/^\/registry\//, "").split("/");
  const hasGroup = parts[0]!.includes(".");
  const stored = hasGroup ? parts[1]! : parts[0]!;
  const rest = parts.slice(hasGroup ? 2 : 1);
  const double = `${stored}/${rest[0]}`;
  const isDouble = !hasGroup && Object.hasOwn(STORED_AS, double);
  const resource = STORED_AS[isDouble ? double : stored] ?? stored;
  const place = isDouble ? rest.slice(1) : rest;
  const group = hasGroup ? parts[0]! : apiVersion === undefined ? (GROUPS[resource] ?? "") : groupOf(apiVersion);
  const [namespace, name] = place.length > 1 ? place : ["-", place[0] ?? ""];
  return `${group === "" ? "core" : group}/${resource}/${namespace}/${name}`;
}

/** The parts of a path; undefined if it is none. */
export function parsePath(path: string): PathParts | undefined {
  const [group, resource, namespace, name, ...rest] = path.split("/");
  if (rest.length > 0 || !group || !resource || !namespace || !name) return undefined;
  return { group: group === "core" ? "" : group, resource, namespace: namespace === "-" ? undefined : namespace, name };
}

/** Finds the key of a path among the keys of a store. */
export function keyOfPath(path: ObjectPath, has: (key: string) => boolean): string | undefined {
  const parts = parsePath(path);
  if (parts === undefined) return undefined;
  const { group, resource, namespace, name } = parts;
  const rest = namespace === undefined ? name : `${namespace}/${name}`;
  const stored = Object.entries(STORED_AS).flatMap(([as, plural]) => (plural === resource ? [as] : []));
  return [`${group}/${resource}`, resource, ...stored].map((prefix) => `/registry/${prefix.replace(/^\//, "")}/${rest}`).find(has);
}

export const groupOf = (apiVersion: string) => (apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "");
