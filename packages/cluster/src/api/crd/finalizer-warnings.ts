import type { JsonObject } from "pintle/kinds";
import { qualifiedNameProblems } from "../../status/index.ts";
import { metadataOf } from "../metadata/metadata.ts";

const STANDARD = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const AVOID = "to avoid accidental conflicts with other finalizer writers";

/** What is unwise about finalizers that a custom resource has and did not have. */
export function finalizerWarnings(next: JsonObject, live?: JsonObject): readonly string[] {
  const before = live === undefined ? [] : (metadataOf(live).finalizers ?? []);
  const added = (metadataOf(next).finalizers ?? []).filter((name) => !before.includes(name));
  return [...new Set(added)].sort().flatMap((name) => {
    const warning = (text: string) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`;
    const warnings = qualifiedNameProblems(name).map(warning);
    if (name.includes("/") || STANDARD.has(name)) return warnings;
    const advice = name.includes(".")
      ? "prefer a domain-qualified finalizer name including a path (/)"
      : "prefer a domain-qualified finalizer name";
    return [...warnings, warning(`${advice} ${AVOID}`)];
  });
}
