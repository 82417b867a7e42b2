import type { JsonObject } from "pintle/kinds";
import { metadataOf } from "../../api/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Problems } from "./problems.ts";

const OWN = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers say whose they are, except the server's own. */
export function* finalizerDomains(object: JsonObject): Problems {
  for (const [i, name] of (metadataOf(object).finalizers ?? []).entries()) {
    if (name.includes("/") || OWN.has(name)) continue;
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    yield fieldError.invalid(`metadata.finalizers[${i}]`, name, why);
  }
}
