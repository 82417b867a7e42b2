import type { JsonObject } from "pintle/kinds";
import type { Context } from "./context.ts";
import type { Manifest } from "./manifest.ts";
import { annotated } from "./webhooks.ts";

/** The definitions, one file each, named as controller-gen names them. */
export function crds(context: Context): readonly Manifest[] {
  return context.operator.resources.map(({ file, crd }) => ({
    part: "crd",
    file: `bases/${file}`,
    object: annotated(context, crd as unknown as JsonObject),
  }));
}
