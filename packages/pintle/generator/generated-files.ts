import { definitionsTable } from "./cluster/definitions-table.ts";
import { discoveryTable } from "./cluster/discovery-table.ts";
import { pathsTable } from "./cluster/paths-table.ts";
import type { PublishedDocuments } from "./input/documents.ts";
import { builtInDocuments, builtInGroupVersions, declarationOf } from "./kinds/built-in-kinds.ts";
import { crdGroupVersions } from "./kinds/crd-kinds.ts";
import { renderFieldTypes } from "./kinds/field-types.ts";
import type { GroupVersion } from "./kinds/group-version.ts";
import { renderKindFile } from "./kinds/kind-file.ts";
import { GENERATED_MARK } from "./output.ts";

/** Returns the module that a generated file imports a hand-written part of `kinds` from: the package, or a file of this repository. */
type ImportSource = (part: string) => string;
export const FROM_PACKAGE: ImportSource = () => "pintle/kinds";
export const FROM_FOLDER: ImportSource = (part) => `../../${part}.ts`;

/** Renders the files of built-in kinds, by path below the output folder. */
export function builtInFiles(published: PublishedDocuments, library: ImportSource): ReadonlyMap<string, string> {
  const all = builtInGroupVersions(published);
  const context = { ...builtInContext(published, all), library };
  return new Map(all.map((each) => [`${each.file}.ts`, renderKindFile(each, context)]));
}

function builtInContext(published: PublishedDocuments, all: readonly GroupVersion[]) {
  const kinds = new Set(all.flatMap((each) => each.kinds.map((kind) => kind.definition)));
  const origin = `${GENERATED_MARK} from the OpenAPI of Kubernetes ${published.serverVersion}: do not edit.`;
  return { origin, declaration: (definition: string) => declarationOf(definition, kinds) };
}

/** Renders the files of a CustomResourceDefinition, by path below the output folder. */
export function customFiles(definition: unknown): ReadonlyMap<string, string> {
  return new Map(
    crdGroupVersions(definition).map((each) => {
      const origin = `${GENERATED_MARK} from the CustomResourceDefinition ${each.file.split("/")[0]}: do not edit.`;
      const declaration = (name: string) => ({ file: each.file, name });
      return [`${each.file}.ts`, renderKindFile(each, { origin, library: FROM_PACKAGE, declaration })];
    }),
  );
}

/**
 * Renders the definitions of the built-in kinds, which fields of resources and the embedded cluster share, and the types of those fields, by path
 * below `src` of `pintle`.
 */
export function definitionFiles(published: PublishedDocuments): ReadonlyMap<string, string> {
  const all = builtInGroupVersions(published);
  return new Map([
    ["definitions/generated/definitions.ts", definitionsTable(builtInDocuments(published))],
    ["fields/generated/built-in-types.ts", renderFieldTypes(all, builtInContext(published, all))],
  ]);
}

/** Renders the embedded cluster's tables of built-in kinds, by path below its `src`. */
export function clusterFiles(published: PublishedDocuments): ReadonlyMap<string, string> {
  const own = builtInDocuments(published);
  return new Map([
    ["builtin/generated/discovery.ts", discoveryTable(own)],
    ["builtin/generated/paths.ts", pathsTable(own)],
  ]);
}
