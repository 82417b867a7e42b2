import type { JsonObject, Metadata } from "pintle/kinds";

type Object = JsonObject & { readonly metadata: Metadata };

/** Kinds whose pods have generated names. */
const OWNERS_WITH_GENERATED_NAMES = new Set(["ReplicaSet", "ReplicationController", "DaemonSet", "Job"]);

/**
 * Masks values that differ from run to run: uids, generated names, hashes, addresses, times. Keeps the names it has
 * seen, because events refer to deleted objects.
 */
export function createMasker(namespace: string) {
  const hashes = new Map<string, string>();
  const makers = new Set<string>();
  return {
    learn(objects: readonly Object[]): void {
      for (const { kind, revision, metadata } of objects) {
        const { name, labels = {}, annotations = {} } = metadata;
        const hash = labels["pod-template-hash"];
        if (kind === "ReplicaSet" && hash !== undefined) hashes.set(hash, annotations["deployment.kubernetes.io/revision"] ?? "");
        if (kind === "ControllerRevision")
          hashes.set(labels["controller-revision-hash"] ?? name.slice(name.lastIndexOf("-") + 1), `${revision}`);
        if (OWNERS_WITH_GENERATED_NAMES.has(kind as string)) makers.add(name);
        if (metadata.generateName !== undefined) makers.add(metadata.generateName.replace(/-$/, ""));
      }
    },
    mask(text: string): string {
      let masked = text;
      for (const name of makers) masked = masked.replace(new RegExp(`\\b${name}(-\\d+)?-[a-z0-9]{5}\\b`, "g"), `${name}$1-<any>`);
      for (const [hash, revision] of hashes) masked = masked.replaceAll(hash, `<hash ${revision}>`);
      return masked
        .replaceAll(namespace, "<namespace>")
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
        .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "<time>")
        .replace(/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, "<ip>")
        .replace(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<any>")
        .replace(/("(?:nodePort|healthCheckNodePort)": ?)\d+/g, '$1"<port>"')
        .replace(/\bnode-\d\b/g, "<node>")
        .replace(/-\d{8}\b/g, "-<minute>");
    },
  };
}
