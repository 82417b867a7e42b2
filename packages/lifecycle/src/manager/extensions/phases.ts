import type { JsonObject } from "pintle/internal/json";
import { splitApiVersion } from "../object-sets/objects.ts";

/** The phases of a revision that is made from a bundle, in their order, with the kinds that belong to each. */
const PHASES: readonly (readonly [name: string, kinds: readonly string[]])[] = [
  ["namespaces", ["Namespace"]],
  ["policies", ["NetworkPolicy.networking.k8s.io", "PodDisruptionBudget.policy", "PriorityClass.scheduling.k8s.io"]],
  ["identity", ["ServiceAccount"]],
  ["configuration", ["Secret", "ConfigMap"]],
  ["storage", ["PersistentVolume", "PersistentVolumeClaim", "StorageClass.storage.k8s.io"]],
  ["crds", ["CustomResourceDefinition.apiextensions.k8s.io"]],
  ["roles", ["ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io"]],
  ["bindings", ["ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"]],
  ["infrastructure", ["Service", "Issuer.cert-manager.io", "Certificate.cert-manager.io"]],
  ["deploy", ["Deployment.apps"]],
  ["scaling", ["VerticalPodAutoscaler.autoscaling.k8s.io"]],
  [
    "publish",
    [
      ...["PrometheusRule", "ServiceMonitor", "PodMonitor"].map((kind) => `${kind}.monitoring.coreos.com`),
      "Ingress.networking.k8s.io",
      "Route.route.openshift.io",
      ...["ConsoleYAMLSample", "ConsoleQuickStart", "ConsoleCLIDownload", "ConsoleLink", "ConsolePlugin"].map(
        (kind) => `${kind}.console.openshift.io`,
      ),
    ],
  ],
  [
    "admission",
    ["ValidatingWebhookConfiguration.admissionregistration.k8s.io", "MutatingWebhookConfiguration.admissionregistration.k8s.io"],
  ],
];

/** Objects of other kinds come with the Deployments. */
const DEFAULT_PHASE = "deploy";
const PHASE_OF_KIND = new Map(PHASES.flatMap(([name, kinds]) => kinds.map((kind) => [kind, name] as const)));

/** Sorts objects into phases, and within a phase by group, version, kind, namespace and name. */
export function sortIntoPhases(objects: readonly JsonObject[]): { readonly name: string; readonly objects: readonly JsonObject[] }[] {
  const byPhase = new Map<string, JsonObject[]>();
  for (const object of objects) {
    const { group } = splitApiVersion(String(object["apiVersion"]));
    const kind = `${String(object["kind"])}${group === "" ? "" : `.${group}`}`;
    const phase = PHASE_OF_KIND.get(kind) ?? DEFAULT_PHASE;
    byPhase.set(phase, [...(byPhase.get(phase) ?? []), object]);
  }
  return PHASES.flatMap(([name]) => {
    const found = byPhase.get(name);
    return found === undefined ? [] : [{ name, objects: found.toSorted(compareObjects) }];
  });
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  for (const [i, text] of left.entries()) if (text !== right[i]) return Buffer.compare(Buffer.from(text), Buffer.from(right[i]!));
  return 0;
}

function sortKey({ apiVersion, kind, metadata }: JsonObject): string[] {
  const { group, version } = splitApiVersion(String(apiVersion));
  const { namespace = "", name = "" } = (metadata ?? {}) as { readonly namespace?: string; readonly name?: string };
  return [group, version, String(kind), namespace, name];
}
