import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildManagerDefinitions } from "@pintle/lifecycle/internal/manager";
import type { Json } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findModule } from "./published.ts";
import { findReference } from "./reference.ts";

/** Without descriptions, which are ours, and without the mark of the program that wrote the file. `names` are those of fields, not keywords. */
function strip(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => strip(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, field]) => (isNames || key !== "description" || typeof field !== "string") && key !== "controller-gen.kubebuilder.io/version",
  );
  return Object.fromEntries(kept.map(([key, field]) => [key, strip(field as Json, key === "properties")]));
}

describe.runIf(findReference() !== undefined)("CRDs of the lifecycle manager", () => {
  const base = () => join(findModule("github.com/operator-framework/operator-controller@v1.11.0"), "helm", "olmv1", "base");

  test.each(["standard", "experimental"] as const)("of the %s set are those of operator-controller but for descriptions", (set) => {
    for (const definition of buildManagerDefinitions(set)) {
      const { names } = definition["spec"] as { readonly names: { readonly kind: string; readonly plural: string } };
      const program = names.kind === "ClusterCatalog" ? "catalogd" : "operator-controller";
      const file = join(base(), program, "crd", set, `olm.operatorframework.io_${names.plural}.yaml`);
      expect(strip(definition), names.kind).toEqual(strip(parse(readFileSync(file, "utf8")) as Json));
    }
  });
});
