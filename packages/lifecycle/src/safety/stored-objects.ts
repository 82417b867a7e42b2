import type { CompiledSchema, JsonSchema, ScalePaths } from "@pintle/cluster/schema";
import type { JsonObject } from "pintle/internal/json";

/** One page of the objects of a custom resource. */
export interface StoredObjectPage {
  readonly items: readonly JsonObject[];
  /** The token of the next page. Default: this is the last one. */
  readonly continue?: string | undefined;
  /** The number of objects on later pages. Default: unknown. */
  readonly remaining?: number | undefined;
}

/** Reads a page of the objects of a custom resource in one of its served versions; the first page without a token. */
export type ReadStoredObjects = (version: string, token: string | undefined) => Promise<StoredObjectPage>;

/** What a new definition does to one field of a stored object. */
export interface StoredObjectProblem {
  /** The versions in whose schema the problem occurs. */
  readonly versions: readonly string[];
  /** The path of the field: `spec.replicas`; empty for a rule of the whole object. */
  readonly field: string;
  /** The text of the API server. */
  readonly message: string;
  /** `refused`: the value is invalid. `dropped`: the field is unknown, so that its value is lost with the next write. */
  readonly effect: "refused" | "dropped";
  /**
   * Whether the API server refuses every update of the object. If not, validation ratcheting accepts updates that leave the invalid value as it
   * is, so that only a change of it is refused.
   */
  readonly blocksEveryUpdate: boolean;
}

/** A stored object that a new definition refuses, or of which it drops fields. */
export interface RefusedObject {
  /** Undefined if the kind is cluster-scoped. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly problems: readonly StoredObjectProblem[];
}

/** A version whose objects could not be checked. */
export interface UncheckedVersion {
  readonly version: string;
  readonly reason: string;
}

/** The result of `checkStoredObjects`. */
export interface StoredObjectsReport {
  /** The name of the definition: `shops.example.com`. */
  readonly definition: string;
  /** Why the API server refuses the new definition itself. Objects are not checked if one of its schemas is invalid. */
  readonly definitionErrors: readonly { readonly field: string; readonly message: string }[];
  /** The number of objects that were read. */
  readonly checked: number;
  /** The number of objects with problems. */
  readonly refused: number;
  readonly unchecked: readonly UncheckedVersion[];
}

/** Options of `checkStoredObjects`. */
export interface StoredObjectsCheck {
  /** The definition in the cluster, with its status. */
  readonly live: JsonObject;
  /** The definition that will replace it. */
  readonly next: JsonObject;
  readonly readPage: ReadStoredObjects;
  /** Called for every object with problems, in the order of the pages. The check keeps none of them. */
  readonly onRefused: (object: RefusedObject) => void;
  /** Called after every page with the number of objects so far, and of those on later pages, if it is known. Default: none. */
  readonly onPage?: ((checked: number, remaining: number | undefined) => void) | undefined;
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly conversion?: { readonly strategy?: string } | null;
    readonly versions?: readonly DefinitionVersion[] | null;
  };
  readonly status?: { readonly storedVersions?: readonly string[] | null };
}
interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly scale?: ScalePaths };
}

/**
 * Finds the stored objects of a custom resource that a new definition would refuse, with the field and the text of the API server, before the
 * definition is replaced: structural schema, formats, required fields, CEL rules (those with `oldSelf` need a change and are not evaluated),
 * fields that would be dropped, and versions that are gone.
 *
 * Objects are read page by page and not kept. Objects that clients write while the pages are read may be missed. Versions that only the
 * conversion webhook of the new release could produce are reported as unchecked.
 *
 * @example
 * ```ts
 * import { checkStoredObjects } from "@pintle/lifecycle";
 *
 * const schema = (maximum: number) => ({
 *   openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer", maximum } } } } },
 * });
 * const definition = (maximum: number) => ({
 *   metadata: { name: "shops.example.com" },
 *   spec: {
 *     group: "example.com",
 *     scope: "Namespaced",
 *     names: { plural: "shops", kind: "Shop" },
 *     versions: [{ name: "v1", served: true, storage: true, schema: schema(maximum) }],
 *   },
 *   status: { storedVersions: ["v1"] },
 * });
 * const report = await checkStoredObjects({
 *   live: definition(9),
 *   next: definition(3),
 *   readPage: async () => ({ items: [{ metadata: { namespace: "default", name: "demo" }, spec: { size: 5 } }] }),
 *   onRefused: ({ namespace, name, problems }) => console.log(`${namespace}/${name}: ${problems[0]?.field}`), // default/demo: spec.size
 * });
 * console.log(report.refused); // 1
 * ```
 */
export async function checkStoredObjects(check: StoredObjectsCheck): Promise<StoredObjectsReport> {
  const [live, next] = [check.live, check.next] as unknown as readonly [Definition, Definition];
  const definition = live.metadata.name;
  const definitionErrors = await findDefinitionErrors(check.live, check.next);
  if (definitionErrors.some(({ field }) => field.startsWith("spec."))) {
    return { definition, definitionErrors, checked: 0, refused: 0, unchecked: [] };
  }
  const judge = await createJudge(live, next);
  const passes = planPasses(live, next);
  let [checked, refused] = [0, 0];
  for (const { read, targets } of passes.readable) {
    let page: StoredObjectPage | undefined;
    do {
      page = await check.readPage(read, page?.continue);
      for (const item of page.items) {
        const problems = judge(item, targets);
        if (problems.length === 0) continue;
        refused++;
        const { namespace, name } = item["metadata"] as { readonly namespace?: string; readonly name: string };
        check.onRefused({ namespace, name, problems });
      }
      checked += page.items.length;
      check.onPage?.(checked, page.remaining);
    } while (page.continue);
  }
  return { definition, definitionErrors, checked, refused, unchecked: passes.unchecked };
}

/** Validates the replacement of the definition as the API server does, which adds the new storage version to the stored ones. */
async function findDefinitionErrors(live: JsonObject, next: JsonObject) {
  const { defaultCrd, validateCrd } = await loadSchemas();
  const { versions } = (next as unknown as Definition).spec;
  const stored = (live as unknown as Definition).status?.storedVersions ?? [];
  const storage = (versions ?? []).filter((version) => version.storage).map(({ name }) => name);
  const status = { ...(live["status"] as JsonObject | undefined), storedVersions: [...new Set([...stored, ...storage])] };
  return validateCrd(defaultCrd({ ...next, status }), live).map(({ field, detail }) => ({ field, message: detail }));
}

/** Loaded when it is needed: the compiler of schemas is large, and most of this package works without it. */
function loadSchemas() {
  return import("@pintle/cluster/schema");
}

interface Pass {
  /** The version in which objects are read. */
  readonly read: string;
  /** The versions whose schemas check them. */
  readonly targets: readonly DefinitionVersion[];
}

/** Plans which versions have to be read so that every version that the new definition serves is checked. */
function planPasses(
  live: Definition,
  next: Definition,
): { readonly readable: readonly Pass[]; readonly unchecked: readonly UncheckedVersion[] } {
  const served = (live.spec.versions ?? []).filter((version) => version.served);
  const targets = (next.spec.versions ?? []).filter((version) => version.served);
  // Without a webhook, conversion changes only the apiVersion: one pass shows the objects of all versions.
  if (next.spec.conversion?.strategy !== "Webhook") {
    const read = served.find((version) => version.storage) ?? served[0];
    if (read !== undefined) return { readable: [{ read: read.name, targets }], unchecked: [] };
    return {
      readable: [],
      unchecked: targets.map(({ name }) => ({ version: name, reason: "the cluster serves no version of the definition" })),
    };
  }
  const stored = new Set(live.status?.storedVersions ?? []);
  const readable: Pass[] = [];
  const unchecked: UncheckedVersion[] = [];
  for (const target of targets) {
    const isServed = served.some(({ name }) => name === target.name);
    const isConverted = live.spec.conversion?.strategy === "Webhook" || stored.has(target.name);
    if (isServed && isConverted) readable.push({ read: target.name, targets: [target] });
    else unchecked.push({ version: target.name, reason: "its objects come from the conversion webhook of the new release" });
  }
  return { readable, unchecked };
}

type Judge = (item: JsonObject, targets: readonly DefinitionVersion[]) => readonly StoredObjectProblem[];

async function createJudge(live: Definition, next: Definition): Promise<Judge> {
  const { compileSchema, DecodeError } = await loadSchemas();
  const schemas = new Map<string, CompiledSchema>();
  const schemaOf = ({ name, schema, subresources }: DefinitionVersion): CompiledSchema => {
    const known = schemas.get(name);
    if (known !== undefined) return known;
    const compiled = compileSchema(schema?.openAPIV3Schema ?? {}, { scale: subresources?.scale });
    schemas.set(name, compiled);
    return compiled;
  };
  const removed = describeRemovedVersions(live, next);
  return (item, targets) => {
    const found = new Map<string, StoredObjectProblem>();
    const add = (version: string, problem: Omit<StoredObjectProblem, "versions">): void => {
      const key = `${problem.effect} ${problem.field} ${problem.message}`;
      const versions = [...(found.get(key)?.versions ?? []), version];
      found.set(key, { ...problem, versions });
    };
    for (const { version, message } of removed) add(version, { field: "apiVersion", message, effect: "refused", blocksEveryUpdate: true });
    for (const target of targets) {
      const schema = schemaOf(target);
      try {
        const { object, unknown } = schema.prune({ ...item, apiVersion: `${next.spec.group}/${target.name}` });
        for (const field of unknown) add(target.name, { field, message: "unknown field", effect: "dropped", blocksEveryUpdate: false });
        for (const problem of findErrors(schema, schema.default(object))) add(target.name, problem);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        add(target.name, { field: "metadata", message: error.message, effect: "refused", blocksEveryUpdate: true });
      }
    }
    return [...found.values()];
  };
}

/** The API server adds it to schema errors: what is missing shows when they are corrected. */
const RULES_NOT_CHECKED = /some validation rules were not checked because the object was invalid/;
/** The path of the object itself. */
const ROOT = "<nil>";
/** An annotation that no object has: the smallest change of an object. */
const CHANGE = { "lifecycle.pintle.dev/change": "" };

function findErrors(schema: CompiledSchema, object: JsonObject): Omit<StoredObjectProblem, "versions">[] {
  const errors = schema.validate(object).filter(({ detail }) => !RULES_NOT_CHECKED.test(detail));
  if (errors.length === 0) return [];
  const metadata = object["metadata"] as JsonObject;
  const changed = {
    ...object,
    metadata: { ...metadata, annotations: { ...(metadata["annotations"] as JsonObject | undefined), ...CHANGE } },
  };
  const always = new Set(schema.validate(changed, object).map(({ field, detail }) => `${field} ${detail}`));
  return errors.map(({ field, detail }) => {
    return { field: field === ROOT ? "" : field, message: detail, effect: "refused", blocksEveryUpdate: always.has(`${field} ${detail}`) };
  });
}

/** Every object may be stored in a version that is gone, because the API does not say in which one an object is stored. */
function describeRemovedVersions(live: Definition, next: Definition): { readonly version: string; readonly message: string }[] {
  const kept = new Set((next.spec.versions ?? []).map(({ name }) => name));
  const storage = live.spec.versions?.find((version) => version.storage)?.name;
  return (live.status?.storedVersions ?? [])
    .filter((name) => !kept.has(name))
    .map((version) => {
      const stored = version === storage ? "is stored" : "may be stored";
      return { version, message: `${stored} as ${next.spec.group}/${version}, which the new definition does not have` };
    });
}
