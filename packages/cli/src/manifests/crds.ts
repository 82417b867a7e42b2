import type { JsonObject } from "pintle/kinds";
import type { Context } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** The definitions, one file each, named as controller-gen names them. */
export function crds({ operator }: Context): readonly Manifest[] {
  return operator.resources.map(({ file, crd }) => ({ part: "crd", file: `bases/${file}`, object: crd as unknown as JsonObject }));
}
