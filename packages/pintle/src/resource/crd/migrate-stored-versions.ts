import { type Client, Conflict, NotFound, RequestError } from "../../client/index.ts";
import { PintleError } from "../../errors/index.ts";
import { defineKind, type JsonObject, type Kind, type Metadata, metadataOnly, type Scope } from "../../kinds/index.ts";

/** Options of `migrateStoredVersions`. */
export interface MigrateStoredVersionsOptions {
  /** Called after every rewritten object with the number of objects rewritten so far. Default: none. */
  readonly progress?: ((rewritten: number) => void) | undefined;
  /** Aborts the migration. Objects rewritten before stay rewritten. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of `migrateStoredVersions`. */
export interface StoredVersionsMigration {
  /** The name of the CustomResourceDefinition: "memcacheds.cache.example.com". */
  readonly definition: string;
  /** The storage version, in which all objects are now stored. */
  readonly version: string;
  /** The versions removed from `status.storedVersions`, which may now be removed from the definition. */
  readonly dropped: readonly string[];
  /** The number of objects that were written. */
  readonly rewritten: number;
}

/**
 * Thrown by `migrateStoredVersions` if some objects could not be rewritten. No stored version was dropped.
 *
 * @example
 * ```ts
 * import { connect, MigrationFailed, migrateStoredVersions } from "pintle";
 *
 * const client = await connect();
 * try {
 *   await migrateStoredVersions(client, "memcacheds.cache.example.com");
 * } catch (error) {
 *   if (!(error instanceof MigrationFailed)) throw error;
 *   for (const [name, failure] of error.failures) console.error(name, failure.message);
 * }
 * ```
 */
export class MigrationFailed extends PintleError {
  override readonly name = "MigrationFailed";
  /** The error of each object, by "namespace/name". */
  readonly failures: ReadonlyMap<string, RequestError>;
  constructor(definition: string, failures: ReadonlyMap<string, RequestError>) {
    const [[first, error] = ["", undefined]] = failures;
    super(
      "PINTLE2002",
      `${definition}: ${failures.size} objects could not be rewritten, so no stored version was dropped. The first: ${first}: ${error?.message}. Fix them and run the migration again`,
    );
    this.failures = failures;
  }
}

interface CrdObject {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group: string;
    readonly scope: Scope;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
  readonly status?: { readonly storedVersions?: readonly string[] | undefined } | undefined;
}
/** CustomResourceDefinition with the fields used here; the generated kind is larger than needed. */
const CrdKind = defineKind("apiextensions.k8s.io/v1/CustomResourceDefinition", "customresourcedefinitions", "Cluster", {
  subresources: ["status"],
}) as unknown as Kind<"apiextensions.k8s.io/v1/CustomResourceDefinition", CrdObject, never, "Cluster">;

const CONCURRENCY = 8;
const MAX_ATTEMPTS = 5;

/**
 * Rewrites every object of a custom resource, so that all are stored in the storage version, and removes the other versions from
 * `status.storedVersions` of the CustomResourceDefinition.
 *
 * Guarantees: the content of objects does not change; the migration can be repeated and can run beside other writers. Throws
 * `MigrationFailed` if an object could not be rewritten, and `PINTLE2003` if the storage version changes during the migration.
 *
 * @example
 * ```ts
 * import { connect, migrateStoredVersions } from "pintle";
 *
 * const client = await connect();
 * const { version, rewritten } = await migrateStoredVersions(client, "memcacheds.cache.example.com");
 * console.log(`${rewritten} objects are now stored as ${version}`);
 * ```
 */
export async function migrateStoredVersions(
  client: Client,
  definition: string,
  options: MigrateStoredVersionsOptions = {},
): Promise<StoredVersionsMigration> {
  const { signal, progress } = options;
  const before = await client.get(CrdKind, { name: definition }, { signal });
  const version = storageVersionOf(before);
  const stored = before.status?.storedVersions ?? [];
  const dropped = stored.filter((each) => each !== version);
  if (dropped.length === 0) return { definition, version, dropped, rewritten: 0 };
  const { group, scope, names } = before.spec;
  const storedKind = defineKind(`${group}/${version}/${names.kind}`, names.plural, scope) as unknown as Kind<string, JsonObject, never>;

  let rewritten = 0;
  const failures = new Map<string, RequestError>();
  const rewrite = async ({ name, namespace }: Metadata) => {
    try {
      // An empty patch: the API server writes the object only if it is stored in another version.
      await retryOnConflict(() => client.patch(storedKind, { name, namespace }, { merge: {} }, { signal }));
      progress?.(++rewritten);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!(error instanceof NotFound)) failures.set(namespace === undefined ? name : `${namespace}/${name}`, error);
    }
  };
  for await (const { items } of client.listPages(metadataOnly(storedKind), { signal }))
    await forEachConcurrently(items, ({ metadata }) => rewrite(metadata));
  if (failures.size > 0) throw new MigrationFailed(definition, failures);
  await retryOnConflict(async () => {
    const now = await client.get(CrdKind, { name: definition }, { signal });
    if (storageVersionOf(now) !== version)
      throw new PintleError(
        "PINTLE2003",
        `${definition}: the storage version changed to ${storageVersionOf(now)} during the migration; no stored version was dropped: run the migration again`,
      );
    const status = { ...now.status, storedVersions: [version] };
    await client.status.replace(CrdKind, { ...now, status } as never, { signal });
  });
  return { definition, version, dropped, rewritten };
}

function storageVersionOf({ metadata, spec }: CrdObject): string {
  const found = spec.versions.find(({ storage }) => storage);
  if (found === undefined) throw new PintleError("PINTLE2004", `${metadata.name}: no version is the storage version`);
  return found.name;
}

/** Retries a write after a conflict with a concurrent writer. */
async function retryOnConflict(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
