import type { ApiResource, PublishedDocuments } from "../input/documents.ts";
import { compareText, type Definitions, type OpenApiSchema, referencedDefinition } from "../schema.ts";
import type { GroupVersion, KindEntry } from "./group-version.ts";
import { specialType } from "./special-types.ts";

/** Returns the generally available group-versions of Kubernetes and their kinds. */
export function builtInGroupVersions(published: PublishedDocuments): readonly GroupVersion[] {
  const definitions = allDefinitions(published);
  const found = [...published.resources.values()]
    .map((list) => ({ ...parseGroupVersion(list.groupVersion), resources: list.resources }))
    .filter(({ group, version }) => /^v\d+$/.test(version) && isBuiltIn(published, group, version));
  const withKinds = found.map(({ group, version, resources }) => ({
    group,
    version,
    file: groupVersionFile(group, version),
    kinds: [
      ...kindsOf(group, version, resources, definitions),
      ...subresourceBodies(
        group,
        version,
        found.flatMap((each) => each.resources),
        definitions,
      ),
    ],
  }));
  assertUniqueFiles(withKinds.map(({ file }) => file));
  const types = nestedTypes(
    withKinds.flatMap(({ kinds }) => kinds.map((kind) => kind.definition)),
    definitions,
  );
  return withKinds.map((each) => ({ ...each, definitions, types: types.filter((type) => definitionFile(type) === each.file) }));
}

/** Returns the documents without custom resources and aggregated API servers. */
export function builtInDocuments(published: PublishedDocuments): PublishedDocuments {
  const groups = published.groups.filter(({ name, versions }) => versions.some(({ version }) => isBuiltIn(published, name, version)));
  const names = new Set(groups.map(({ name }) => name));
  const openapi = [...published.openapi].filter(
    ([documentPath]) => !documentPath.startsWith("apis/") || names.has(documentPath.split("/")[1]!),
  );
  return { ...published, groups, openapi: new Map(openapi) };
}

/** Returns the file of a group-version, named after the first label of the group: "apps/v1", "core/v1", "rbac/v1". */
export function groupVersionFile(group: string, version: string): string {
  return `${group === "" ? "core" : group.split(".")[0]}/${version}`;
}

/** Returns the file of a definition. Kubernetes names it after its Go package, which ends in the same label: io.k8s.api.rbac.v1.Role. */
export function definitionFile(definition: string): string {
  return definition.split(".").slice(-3, -1).join("/");
}

/**
 * Returns file and name of a nested type. It has the name of its definition, except for kinds used as templates (volumeClaimTemplates),
 * which are not stored objects: PersistentVolumeClaimBody.
 */
export function declarationOf(definition: string, kinds: ReadonlySet<string>): { readonly file: string; readonly name: string } {
  const name = definition.slice(definition.lastIndexOf(".") + 1);
  return { file: definitionFile(definition), name: kinds.has(definition) ? `${name}Body` : name };
}

/** Returns the schemas of all documents by name, sorted. */
export function allDefinitions(published: PublishedDocuments): Definitions {
  return Object.fromEntries(
    [...published.openapi.values()]
      .flatMap((document) => Object.entries(document.components?.schemas ?? {}))
      .sort(([a], [b]) => compareText(a, b)),
  );
}

function parseGroupVersion(groupVersion: string): { readonly group: string; readonly version: string } {
  const [version, group = ""] = groupVersion.split("/").reverse() as [string, string?];
  return { group, version };
}

/** Whether a group-version belongs to Kubernetes. The schemas of custom resources and aggregated API servers have other names. */
function isBuiltIn(published: PublishedDocuments, group: string, version: string): boolean {
  const documentPath = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  return Object.keys(published.openapi.get(documentPath)?.components?.schemas ?? {}).some(
    (name) =>
      /^io\.k8s\.(api|apiextensions-apiserver|kube-aggregator)\./.test(name) && definitionFile(name) === groupVersionFile(group, version),
  );
}

function kindsOf(group: string, version: string, resources: readonly ApiResource[], definitions: Definitions): readonly KindEntry[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      kind,
      definition: findDefinition({ group, version, kind }, definitions)!,
      scope: namespaced ? ("Namespaced" as const) : ("Cluster" as const),
      verbs,
      plural: name,
      subresources: resources
        .filter((each) => each.name.startsWith(`${name}/`))
        .map((each) => each.name.slice(name.length + 1))
        .sort(compareText),
    }));
}

/** Returns the kinds that exist only as the body of a subresource, here or in another group-version. */
function subresourceBodies(
  group: string,
  version: string,
  resources: readonly ApiResource[],
  definitions: Definitions,
): readonly KindEntry[] {
  const served = new Set(resources.filter(({ name }) => !name.includes("/")).map(({ kind }) => kind));
  const bodies = new Map<string, KindEntry>();
  for (const { name, kind, namespaced, verbs, ...override } of resources) {
    if (!name.includes("/") || override.group !== group || override.version !== version || served.has(kind)) continue;
    const definition = findDefinition({ group, version, kind }, definitions);
    if (definition === undefined) continue;
    bodies.set(kind, { kind, definition, scope: namespaced ? "Namespaced" : "Cluster", verbs, plural: undefined, subresources: [] });
  }
  return [...bodies.values()];
}

function findDefinition(target: { group: string; version: string; kind: string }, definitions: Definitions): string | undefined {
  return Object.keys(definitions).find((name) =>
    definitions[name]?.["x-kubernetes-group-version-kind"]?.some(
      ({ group, version, kind }) => group === target.group && version === target.version && kind === target.kind,
    ),
  );
}

function nestedTypes(kinds: readonly string[], definitions: Definitions): readonly string[] {
  const found = new Set<string>();
  const visit = (schema: OpenApiSchema): void => {
    const definition = referencedDefinition(schema);
    if (definition !== undefined) {
      if (specialType(definition) !== undefined || found.has(definition)) return;
      found.add(definition);
      visit(definitions[definition]!);
      return;
    }
    for (const property of Object.values(schema.properties ?? {})) visit(property);
    if (schema.items !== undefined) visit(schema.items);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties);
  };
  for (const kind of kinds) visit(definitions[kind]!);
  return [...found].sort(compareText);
}

function assertUniqueFiles(files: readonly string[]): void {
  const twice = files.find((file, i) => files.indexOf(file) !== i);
  if (twice !== undefined) throw new Error(`Two groups would share the file ${twice}.ts`);
}
