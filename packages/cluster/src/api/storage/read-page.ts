import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { CompactedError, type StoreEntry, type StoreRange } from "../../store/index.ts";
import { Slices, type Turns } from "../../turns/index.ts";
import type { ListPage } from "../encoding/outgoing-list.ts";
import { OutgoingObject } from "../encoding/outgoing-object.ts";
import type { ListMeta } from "../encoding/transform.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { decodeContinueToken, encodeContinueToken } from "../options/continue-token.ts";
import { buildSelection, type ListOptions, parseResourceVersion, type Selection } from "../options/list-options.ts";
import type { RequestContext } from "../request-context.ts";
import { buildCollectionPrefix, buildObjectKey } from "./storage-codec.ts";
import { waitForRevision } from "./wait-for-revision.ts";

/** From this number on, a list takes long. */
const MANY_ENTRIES = 512;
/** Objects that are matched between two reads of the clock. */
const ITEMS_PER_CHECK = 16;

/** Reads one page of a collection, as of one revision. */
export async function readPage(context: RequestContext, options: ListOptions): Promise<ListPage> {
  const { resource, info } = context;
  const selected = buildSelection(options, resource);
  if (resource.computeObjects !== undefined) {
    const all = (await resource.computeObjects()).filter(
      (object) => info.namespace === "" || getMetadata(object).namespace === info.namespace,
    );
    const meant = selected === undefined ? all : all.filter(selected.matches);
    return { items: meant.map((object) => new OutgoingObject(undefined, object)), metadata: {} };
  }
  const prefix = buildCollectionPrefix(resource, info.namespace);
  const { revision, fromKey } = await resolveStart(context, options, prefix);
  // A list with resourceVersion "0" is served from the cache, without a limit.
  const limit = options.resourceVersion === "0" ? 0 : Math.max(0, options.limit);

  const items: OutgoingObject[] = [];
  const turns = context.server.turnQueue.begin();
  const slices = new Slices(turns);
  let from = fromKey;
  let at = revision;
  for (;;) {
    // With a selector the number of entries to read is unknown: read in growing steps until the page is full.
    const ask = limit === 0 ? undefined : selected === undefined ? limit : Math.max(limit - items.length, items.length + 64);
    const range = await readRange(context, prefix, at, from, ask);
    at = range.revision;
    if (range.entries.length > MANY_ENTRIES) context.flowTicket?.becomeLong();
    for (const [index, item] of (await decodeEntries(context, range.entries, turns)).entries()) {
      if (selected !== undefined) {
        if (index % ITEMS_PER_CHECK === ITEMS_PER_CHECK - 1 && slices.isOver()) await slices.next();
        if (!matchesSelection(item, selected)) continue;
      }
      items.push(item);
      if (limit === 0 || items.length < limit) continue;
      const left = range.entries.length - index - 1 + range.remaining;
      return { items, metadata: buildListMeta(prefix, range.entries[index] as StoreEntry, at, left, selected === undefined) };
    }
    const last = range.entries.at(-1);
    if (range.remaining === 0 || last === undefined) return { items, metadata: { resourceVersion: String(at) } };
    from = `${last.key}\0`;
  }
}

function matchesSelection(item: OutgoingObject, { matches, metadataOnly }: Selection): boolean {
  const { entry } = item;
  if (entry === undefined) return matches(item.object);
  return matches(metadataOnly ? { metadata: entry.decodeMetadata() } : entry.decodeWithoutManagedFields());
}

/** Decodes lazily what is stored in the version of the request; the other entries are converted together. */
async function decodeEntries(
  { server, resource }: RequestContext,
  entries: readonly StoreEntry[],
  turns: Turns,
): Promise<readonly OutgoingObject[]> {
  const { storageCodec } = server;
  const others = entries.filter((entry) => !storageCodec.isStoredForm(resource, entry));
  const objects = await storageCodec.decodeAll(resource, others, turns);
  let next = 0;
  return entries.map((entry) =>
    entry === others[next] ? new OutgoingObject(undefined, objects[next++] as JsonObject) : new OutgoingObject(entry),
  );
}

function buildListMeta(prefix: string, last: StoreEntry, revision: number, left: number, countable: boolean): ListMeta {
  const resourceVersion = String(revision);
  if (left === 0) return { resourceVersion };
  const token = encodeContinueToken(`${last.key}\0`, prefix, revision);
  return { resourceVersion, continue: token, ...(countable ? { remainingItemCount: left } : {}) };
}

/** Returns the revision (undefined: the current one) and the key at which the page starts. */
async function resolveStart({ server, request }: RequestContext, options: ListOptions, prefix: string) {
  const { resourceVersion, continueToken, match, limit } = options;
  if (continueToken !== "") {
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const { revision, fromKey } = decodeContinueToken(continueToken, prefix);
    return { revision: revision === -1 ? undefined : revision, fromKey };
  }
  const wanted = parseResourceVersion(resourceVersion);
  await waitForRevision(server, wanted, request);
  // A limit with a resource version and no match means exactly that version.
  const exact = wanted > 0 && (match === "Exact" || (match === "" && limit > 0));
  return { revision: exact ? wanted : undefined, fromKey: prefix };
}

async function readRange(
  context: RequestContext,
  prefix: string,
  revision: number | undefined,
  fromKey: string,
  limit: number | undefined,
): Promise<StoreRange> {
  const { server, resource, info } = context;
  try {
    // A name in the field selector is a single read.
    const placed = info.name !== "" && (info.namespace !== "" || resource.scope === "Cluster");
    if (!placed) return await server.store.range(prefix, { revision, fromKey, limit });
    const at = revision ?? server.store.currentRevision();
    const entry = await server.store.get(buildObjectKey(resource, info.namespace, info.name), at);
    return { entries: entry === undefined || entry.key < fromKey ? [] : [entry], revision: at, remaining: 0 };
  } catch (error) {
    if (error instanceof CompactedError) throw expiredError(prefix, fromKey);
    throw error;
  }
}

function expiredError(prefix: string, fromKey: string): ApiError {
  if (fromKey === prefix) {
    return new ApiError(410, "Expired", "The resourceVersion for the provided list is too old.");
  }
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError(410, "Expired", message, undefined, encodeContinueToken(fromKey, prefix, -1));
}
