import type { ApiResource, Documents } from "./documents.ts";
import type { GroupVersion, KindEntry } from "./group-version.ts";
import { leaf } from "./leaf.ts";
import { byText, type Definitions, referenced, type Schema } from "./schema.ts";

/** The generally available group-versions of Kubernetes itself, and the kinds in them. */
export function builtIn(published: Documents): readonly GroupVersion[] {
  const definitions = allDefinitions(published);
  const found = [...published.resources.values()]
    .map((list) => ({ ...parsed(list.groupVersion), resources: list.resources }))
    .filter(({ group, version }) => /^v\d+$/.test(version) && isBuiltIn(published, group, version));
  const withKinds = found.map(({ group, version, resources }) => ({
    group,
    version,
    file: fileOf(group, version),
    kinds: [
      ...kindsOf(group, version, resources, definitions),
      ...bodiesOf(
        group,
        version,
        found.flatMap((each) => each.resources),
        definitions,
      ),
    ],
  }));
  assertUnique(withKinds.map(({ file }) => file));
  const types = nestedTypes(
    withKinds.flatMap(({ kinds }) => kinds.map((kind) => kind.definition)),
    definitions,
  );
  return withKinds.map((each) => ({ ...each, definitions, types: types.filter((type) => homeOf(type) === each.file) }));
}

/** What a server without custom resources and other API servers would publish. */
export function stock(published: Documents): Documents {
  const groups = published.groups.filter(({ name, versions }) => versions.some(({ version }) => isBuiltIn(published, name, version)));
  const names = new Set(groups.map(({ name }) => name));
  const openapi = [...published.openapi].filter(([place]) => !place.startsWith("apis/") || names.has(place.split("/")[1]!));
  return { ...published, groups, openapi: new Map(openapi) };
}

/** "apps/v1" for apps/v1, "core/v1" for v1, "rbac/v1" for rbac.authorization.k8s.io/v1: the group's first label. */
export function fileOf(group: string, version: string): string {
  return `${group === "" ? "core" : group.split(".")[0]}/${version}`;
}

/** Kubernetes names a schema after its Go package, which ends in that same label: io.k8s.api.rbac.v1.Role. */
export function homeOf(definition: string): string {
  return definition.split(".").slice(-3, -1).join("/");
}

/**
 * Nested types are called as in the schema, except kinds used as templates (volumeClaimTemplates), where nothing is
 * stored yet: PersistentVolumeClaimBody.
 */
export function declarationOf(definition: string, kinds: ReadonlySet<string>): { readonly file: string; readonly name: string } {
  const name = definition.slice(definition.lastIndexOf(".") + 1);
  return { file: homeOf(definition), name: kinds.has(definition) ? `${name}Body` : name };
}

export function allDefinitions(published: Documents): Definitions {
  return Object.fromEntries(
    [...published.openapi.values()]
      .flatMap((document) => Object.entries(document.components?.schemas ?? {}))
      .sort(([a], [b]) => byText(a, b)),
  );
}

function parsed(groupVersion: string): { readonly group: string; readonly version: string } {
  const [version, group = ""] = groupVersion.split("/").reverse() as [string, string?];
  return { group, version };
}

/** Groups of custom resources and of other API servers are published too; their schemas are named otherwise. */
function isBuiltIn(published: Documents, group: string, version: string): boolean {
  const place = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  return Object.keys(published.openapi.get(place)?.components?.schemas ?? {}).some(
    (name) => /^io\.k8s\.(api|apiextensions-apiserver|kube-aggregator)\./.test(name) && homeOf(name) === fileOf(group, version),
  );
}

function kindsOf(group: string, version: string, resources: readonly ApiResource[], definitions: Definitions): readonly KindEntry[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, verbs }) => ({
      kind,
      definition: definitionOf({ group, version, kind }, definitions)!,
      scope: namespaced ? ("Namespaced" as const) : ("Cluster" as const),
      verbs,
      plural: name,
      subresources: resources
        .filter((each) => each.name.startsWith(`${name}/`))
        .map((each) => each.name.slice(name.length + 1))
        .sort(byText),
    }));
}

/** Kinds that exist only as the body of a subresource, here or in another group-version. */
function bodiesOf(group: string, version: string, resources: readonly ApiResource[], definitions: Definitions): readonly KindEntry[] {
  const served = new Set(resources.filter(({ name }) => !name.includes("/")).map(({ kind }) => kind));
  const bodies = new Map<string, KindEntry>();
  for (const { name, kind, namespaced, verbs, ...override } of resources) {
    if (!name.includes("/") || override.group !== group || override.version !== version || served.has(kind)) continue;
    const definition = definitionOf({ group, version, kind }, definitions);
    if (definition === undefined) continue;
    bodies.set(kind, { kind, definition, scope: namespaced ? "Namespaced" : "Cluster", verbs, plural: undefined, subresources: [] });
  }
  return [...bodies.values()];
}

function definitionOf(wanted: { group: string; version: string; kind: string }, definitions: Definitions): string | undefined {
  return Object.keys(definitions).find((name) =>
    definitions[name]?.["x-kubernetes-group-version-kind"]?.some(
      ({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind,
    ),
  );
}

function nestedTypes(kinds: readonly string[], definitions: Definitions): readonly string[] {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    const definition = referenced(schema);
    if (definition !== undefined) {
      if (leaf(definition) !== undefined || found.has(definition)) return;
      found.add(definition);
      visit(definitions[definition]!);
      return;
    }
    for (const property of Object.values(schema.properties ?? {})) visit(property);
    if (schema.items !== undefined) visit(schema.items);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties);
  };
  for (const kind of kinds) visit(definitions[kind]!);
  return [...found].sort(byText);
}

function assertUnique(files: readonly string[]): void {
  const twice = files.find((file, i) => files.indexOf(file) !== i);
  if (twice !== undefined) throw new Error(`Two groups would share the file ${twice}.ts`);
}
