import { type Client, Conflict, NotFound, RequestError } from "../client/index.ts";
import { type JsonObject, type Kind, kind, type Metadata, meta, type Scope } from "../kinds/index.ts";

export interface MigrateOptions {
  /** Called after every object that was rewritten. */
  readonly progress?: ((rewritten: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Migration {
  /** "memcacheds.cache.example.com" */
  readonly definition: string;
  /** The version that objects are now stored in, all of them. */
  readonly version: string;
  /** Versions that nothing is stored in any more: they may be taken out of the definition. */
  readonly dropped: readonly string[];
  readonly rewritten: number;
}

/** Some objects could not be rewritten, so nothing was dropped. */
export class MigrationFailed extends Error {
  override readonly name = "MigrationFailed";
  /** By "namespace/name". */
  readonly failures: ReadonlyMap<string, RequestError>;
  constructor(definition: string, failures: ReadonlyMap<string, RequestError>) {
    const [[first, error] = ["", undefined]] = failures;
    super(
      `${definition}: ${failures.size} objects could not be rewritten, so no stored version was dropped. The first: ${first}: ${error?.message}. Repair them and run it again`,
    );
    this.failures = failures;
  }
}

interface Definition {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group: string;
    readonly scope: Scope;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
  readonly status?: { readonly storedVersions?: readonly string[] | undefined } | undefined;
}
/** Only what is needed of it: the whole kind is not worth loading here. */
const Definitions = kind("apiextensions.k8s.io/v1/CustomResourceDefinition", "customresourcedefinitions", "Cluster", {
  subresources: ["status"],
}) as unknown as Kind<"apiextensions.k8s.io/v1/CustomResourceDefinition", Definition, never, "Cluster">;

const AT_ONCE = 8;
const ATTEMPTS = 5;

/**
 * Rewrites every object of a custom resource, so that all are stored in the storage version of its definition, and takes the
 * others out of `status.storedVersions`. Objects are not changed, only written; safe to run again, and while others work.
 */
export async function migrateStoredVersions(client: Client, definition: string, options: MigrateOptions = {}): Promise<Migration> {
  const { signal, progress } = options;
  const before = await client.get(Definitions, { name: definition }, { signal });
  const version = storageOf(before);
  const stored = before.status?.storedVersions ?? [];
  const dropped = stored.filter((each) => each !== version);
  if (dropped.length === 0) return { definition, version, dropped, rewritten: 0 };
  const { group, scope, names } = before.spec;
  const kindOf = kind(`${group}/${version}/${names.kind}`, names.plural, scope) as unknown as Kind<string, JsonObject, never>;

  let rewritten = 0;
  const failures = new Map<string, RequestError>();
  const rewrite = async ({ name, namespace }: Metadata) => {
    try {
      // Empty, yet it is a write exactly when what is stored is in another version.
      await patiently(() => client.patch(kindOf, { name, namespace }, { merge: {} }, { signal }));
      progress?.(++rewritten);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!(error instanceof NotFound)) failures.set(namespace === undefined ? name : `${namespace}/${name}`, error);
    }
  };
  for await (const { items } of client.pages(meta(kindOf), { signal })) await each(items, ({ metadata }) => rewrite(metadata));
  if (failures.size > 0) throw new MigrationFailed(definition, failures);
  await patiently(async () => {
    const now = await client.get(Definitions, { name: definition }, { signal });
    if (storageOf(now) !== version)
      throw new Error(`${definition}: its storage version became ${storageOf(now)} meanwhile: nothing was dropped; run it again`);
    const status = { ...now.status, storedVersions: [version] };
    await client.status.replace(Definitions, { ...now, status } as never, { signal });
  });
  return { definition, version, dropped, rewritten };
}

function storageOf({ metadata, spec }: Definition): string {
  const found = spec.versions.find(({ storage }) => storage);
  if (found === undefined) throw new Error(`${metadata.name}: no version is stored`);
  return found.name;
}

/** Somebody else may write at the same moment. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
