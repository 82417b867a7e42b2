import { builtIn, declarationOf, stock } from "./built-in.ts";
import { definitionsTable } from "./cluster/definitions-table.ts";
import { discoveryTable } from "./cluster/discovery-table.ts";
import { pathsTable } from "./cluster/paths-table.ts";
import { custom } from "./custom.ts";
import type { Documents } from "./documents.ts";
import { kindFile } from "./kind-file.ts";
import { MARK } from "./output.ts";

/** Where the hand-written part of the kinds is imported from: the package, or for this repository's own files its folder. */
type Library = (part: string) => string;
export const FROM_PACKAGE: Library = () => "pintle/kinds";
export const FROM_FOLDER: Library = (part) => `../../${part}.ts`;

export function builtInFiles(published: Documents, library: Library): ReadonlyMap<string, string> {
  const all = builtIn(published);
  const kinds = new Set(all.flatMap((each) => each.kinds.map((kind) => kind.definition)));
  const origin = `${MARK} from the OpenAPI of Kubernetes ${published.serverVersion}: do not edit.`;
  const around = { origin, library, declaration: (definition: string) => declarationOf(definition, kinds) };
  return new Map(all.map((each) => [`${each.file}.ts`, kindFile(each, around)]));
}

export function customFiles(definition: unknown): ReadonlyMap<string, string> {
  return new Map(
    custom(definition).map((each) => {
      const origin = `${MARK} from the CustomResourceDefinition ${each.file.split("/")[0]}: do not edit.`;
      const declaration = (name: string) => ({ file: each.file, name });
      return [`${each.file}.ts`, kindFile(each, { origin, library: FROM_PACKAGE, declaration })];
    }),
  );
}

/** What the embedded cluster knows of built-in kinds, by path below its `src`. */
export function clusterFiles(published: Documents): ReadonlyMap<string, string> {
  const own = stock(published);
  return new Map([
    ["builtin/generated/definitions.ts", definitionsTable(own)],
    ["builtin/generated/discovery.ts", discoveryTable(own)],
    ["builtin/generated/paths.ts", pathsTable(own)],
  ]);
}
