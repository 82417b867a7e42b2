import { Conflict, NotFound } from "pintle/client";
import type { Json } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import { createWorkQueue, type WorkOutcome } from "pintle/internal/queue";
import { type ManagerContext, type RunningController, runController } from "../api/context.ts";
import { describeError, failure, TerminalFailure } from "../api/failures.ts";
import { CATALOG_FIELD_MANAGER, CATALOG_FINALIZER, METADATA_NAME_LABEL } from "../api/names.ts";
import { writeFinalizers, writeStatus } from "../api/status.ts";
import { type ClusterCatalog, ClusterCatalogKind, type ClusterCatalogStatus } from "../api/types.ts";
import { clearUnknownConditions, setNotServing, setProgressing, setServing, setUserSpecifiedUnavailable } from "./catalog-status.ts";

/** The content of a catalog that this process has read. */
interface StoredCatalog {
  readonly canonicalReference: string;
  readonly unpackedAt: number;
  readonly polledAt: number;
  readonly generation: number;
}

/** The result of a pass: the status and finalizers to write, and the time of the next poll. */
interface CatalogPassResult {
  readonly status: ClusterCatalogStatus;
  readonly finalizers: readonly string[];
  readonly requeueAt?: number | undefined;
  readonly error?: unknown;
}

const MINUTE_MS = 60_000;
/** Polls are spread over this part of the interval, so that catalogs of one registry are not polled at once. */
const JITTER = 0.01;

/** Starts the controller of catalogs: it reads their images, and keeps the content for the server and for extensions. */
export function startCatalogController(context: ManagerContext, onContentChange: () => void): RunningController {
  const { client, cache, clock, logger } = context;
  const catalogs = cache.watch(ClusterCatalogKind);
  const stored = new Map<string, StoredCatalog>();
  const log = logger.with({ controller: "clustercatalog" });
  const work = createWorkQueue({ clock, concurrency: 4, work: ({ key }, signal) => sync(key, signal) });
  catalogs.addEventHandler(({ old, new: current }) => work.add((current ?? old)!.metadata.name));

  const sync = async (name: string, signal: AbortSignal): Promise<WorkOutcome> => {
    const catalog = catalogs.get({ name });
    if (catalog === undefined) {
      stored.delete(name);
      return { type: "done" };
    }
    if (catalog.metadata.deletionTimestamp === undefined && catalog.metadata.labels?.[METADATA_NAME_LABEL] !== name) {
      const merge = { metadata: { labels: { [METADATA_NAME_LABEL]: name } } };
      await client.patch(ClusterCatalogKind, { name }, { merge }, { fieldManager: CATALOG_FIELD_MANAGER });
      return { type: "done" };
    }
    const result = await reconcileCatalog(context, catalog, stored, signal);
    if (result.error !== undefined) stored.delete(name);
    try {
      const written = await writeStatus(client, ClusterCatalogKind, catalog, result.status, CATALOG_FIELD_MANAGER);
      if (!isJsonEqual([...result.finalizers], [...(catalog.metadata.finalizers ?? [])])) {
        await writeFinalizers(client, ClusterCatalogKind, written, result.finalizers, CATALOG_FIELD_MANAGER);
      }
    } catch (error) {
      if (error instanceof Conflict || error instanceof NotFound) return { type: "failed", error };
      throw error;
    }
    onContentChange();
    if (result.error instanceof TerminalFailure) return { type: "terminal", error: result.error };
    if (result.error !== undefined) {
      log.warn(`Catalog ${name}: ${describeError(result.error)}`);
      return { type: "failed", error: result.error };
    }
    if (result.requeueAt === undefined) return { type: "done" };
    return { type: "requeue", after: Math.max(0, result.requeueAt - clock.now()) };
  };
  return runController(work, [catalogs]);
}

async function reconcileCatalog(
  context: ManagerContext,
  catalog: ClusterCatalog,
  stored: Map<string, StoredCatalog>,
  signal: AbortSignal,
): Promise<CatalogPassResult> {
  const { name, generation = 0, deletionTimestamp, finalizers = [] } = catalog.metadata;
  const status = catalog.status ?? {};
  const at = { now: context.clock.now(), generation };
  const others = finalizers.filter((finalizer) => finalizer !== CATALOG_FINALIZER);
  const remove = async (): Promise<ClusterCatalogStatus> => {
    await context.catalogs.remove(name);
    stored.delete(name);
    return setNotServing(status, at);
  };
  if (catalog.spec.availabilityMode === "Unavailable") {
    return { status: setUserSpecifiedUnavailable(await remove(), at), finalizers: others };
  }
  if (deletionTimestamp !== undefined) {
    if (others.length === finalizers.length) return { status, finalizers };
    return { status: await remove(), finalizers: others };
  }
  if (others.length === finalizers.length) return { status, finalizers: [...finalizers, CATALOG_FINALIZER] };
  const known = stored.get(name);
  if (known !== undefined && !(await needsUnpack(context, catalog, known))) {
    return { status, finalizers, requeueAt: nextPoll(context, catalog, known.polledAt) };
  }
  try {
    const content = await unpack(context, catalog, signal);
    stored.set(name, content);
    const baseUrl = context.catalogs.getBaseUrl(name);
    const now = { ...at, now: context.clock.now() };
    return {
      status: setServing(setProgressing(clearUnknownConditions(status), now), now, { ...content, baseUrl }),
      finalizers,
      requeueAt: nextPoll(context, catalog, content.polledAt),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return { status: setProgressing(status, { ...at, now: context.clock.now() }, error), finalizers, error };
  }
}

async function needsUnpack({ catalogs, clock }: ManagerContext, catalog: ClusterCatalog, known: StoredCatalog): Promise<boolean> {
  const { name, generation = 0 } = catalog.metadata;
  if (!(await catalogs.has(name)) || generation !== known.generation) return true;
  const at = { now: clock.now(), generation: known.generation };
  const status = clearUnknownConditions(catalog.status ?? {});
  const expected = setProgressing(setServing(status, at, { ...known, baseUrl: catalogs.getBaseUrl(name) }), at);
  if (!isJsonEqual(expected as unknown as Json, (catalog.status ?? {}) as unknown as Json)) return true;
  const minutes = catalog.spec.source.image?.pollIntervalMinutes;
  return minutes !== undefined && known.polledAt + minutes * MINUTE_MS < clock.now();
}

async function unpack({ images, catalogs, clock }: ManagerContext, catalog: ClusterCatalog, signal: AbortSignal): Promise<StoredCatalog> {
  const { name, generation = 0 } = catalog.metadata;
  const { type, image } = catalog.spec.source;
  if (type !== "Image") throw new TerminalFailure(`unknown source type ${JSON.stringify(type)}`);
  if (image === undefined) throw new TerminalFailure(`error parsing ClusterCatalog ${JSON.stringify(name)}, image source is nil`);
  await using pulled = await images.pullCatalog(image.ref, signal).catch((error: unknown) => {
    const message = `source catalog content: ${describeError(error)}`;
    throw error instanceof TerminalFailure ? new TerminalFailure(message, error.reason) : failure(message, error);
  });
  await catalogs.replace(name, pulled).catch((error: unknown) => {
    throw failure(`error storing fbc: ${describeError(error)}`, error);
  });
  const { canonicalReference, unpackedAt } = pulled;
  return { canonicalReference, unpackedAt, polledAt: clock.now(), generation };
}

function nextPoll({ random }: ManagerContext, catalog: ClusterCatalog, polledAt: number): number | undefined {
  const minutes = catalog.spec.source.image?.pollIntervalMinutes;
  return minutes === undefined ? undefined : polledAt + minutes * MINUTE_MS * (1 + JITTER * random());
}
