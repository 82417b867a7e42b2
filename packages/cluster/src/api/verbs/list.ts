import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { Compacted, type Entry, type Range } from "../../store/index.ts";
import type { Call } from "../call.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { decodeContinue, encodeContinue } from "../options/continue-token.ts";
import { type ListOptions, listOptions, parseResourceVersion, type Selection, selection } from "../options/list-options.ts";
import type { ListMeta } from "../present/present.ts";
import { AsStored, keyOf, prefixOf, type Viewed } from "../stored.ts";
import type { Answered } from "./answered.ts";
import { listed, type Page } from "./listed.ts";
import { notOlderThan } from "./revision.ts";

export async function list(call: Call): Promise<Answered> {
  const options = listOptions(call.request.query, false);
  return listed(call.view, await page(call, options));
}

/** One page of a collection, as of one revision. */
export async function page(call: Call, options: ListOptions): Promise<Page> {
  const { resource, info } = call;
  const selected = selection(options, resource);
  if (resource.look !== undefined) {
    const all = (await resource.look()).filter((object) => info.namespace === "" || metadataOf(object).namespace === info.namespace);
    const meant = selected === undefined ? all : all.filter(selected.matches);
    return { items: meant.map((object) => ({ object })), metadata: {} };
  }
  const prefix = prefixOf(resource, info.namespace);
  const { revision, fromKey } = await start(call, options, prefix);
  // Whoever takes any state there is gets all of it.
  const limit = options.resourceVersion === "0" ? 0 : Math.max(0, options.limit);

  const items: Viewed[] = [];
  let from = fromKey;
  let at = revision;
  for (;;) {
    // With a selector the store cannot know how many will do: fetch in growing steps until the page is full.
    const ask = limit === 0 ? undefined : selected === undefined ? limit : Math.max(limit - items.length, items.length + 64);
    const range = await read(call, prefix, at, from, ask);
    at = range.revision;
    for (const [index, item] of (await viewed(call, range.entries)).entries()) {
      if (selected !== undefined && !isMeant(item, selected)) continue;
      items.push(item);
      if (limit === 0 || items.length < limit) continue;
      const left = range.entries.length - index - 1 + range.remaining;
      return { items, metadata: cut(prefix, range.entries[index] as Entry, at, left, selected === undefined) };
    }
    const last = range.entries.at(-1);
    if (range.remaining === 0 || last === undefined) return { items, metadata: { resourceVersion: String(at) } };
    from = `${last.key}\0`;
  }
}

function isMeant(item: Viewed, { matches, metadataOnly }: Selection): boolean {
  const { entry } = item;
  if (entry === undefined) return matches(item.object);
  return matches(metadataOnly ? { metadata: entry.metadata() } : entry.readBrief());
}

/** Each as it is stored, where that is how it is shown; the others are converted together. */
async function viewed({ kernel, resource }: Call, entries: readonly Entry[]): Promise<readonly Viewed[]> {
  const { views } = kernel;
  const others = entries.filter((entry) => !views.isAsStored(resource, entry));
  const objects = await views.all(resource, others);
  let next = 0;
  return entries.map((entry) => (entry === others[next] ? { object: objects[next++] as JsonObject } : new AsStored(entry)));
}

function cut(prefix: string, last: Entry, revision: number, left: number, countable: boolean): ListMeta {
  const resourceVersion = String(revision);
  if (left === 0) return { resourceVersion };
  const token = encodeContinue(`${last.key}\0`, prefix, revision);
  return { resourceVersion, continue: token, ...(countable ? { remainingItemCount: left } : {}) };
}

/** Where a page begins: which revision (undefined: the current one), from which key. */
async function start({ kernel, request }: Call, options: ListOptions, prefix: string) {
  const { resourceVersion, continueToken, match, limit } = options;
  if (continueToken !== "") {
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const { revision, fromKey } = decodeContinue(continueToken, prefix);
    return { revision: revision === -1 ? undefined : revision, fromKey };
  }
  const wanted = parseResourceVersion(resourceVersion);
  await notOlderThan(kernel, wanted, request);
  // A limit with a version and no word on the match has always meant exactly that version.
  const exact = wanted > 0 && (match === "Exact" || (match === "" && limit > 0));
  return { revision: exact ? wanted : undefined, fromKey: prefix };
}

async function read(call: Call, prefix: string, revision: number | undefined, fromKey: string, limit: number | undefined): Promise<Range> {
  const { kernel, resource, info } = call;
  try {
    // One object by its name need not be looked for.
    const placed = info.name !== "" && (info.namespace !== "" || resource.scope === "Cluster");
    if (!placed) return await kernel.store.range(prefix, { revision, fromKey, limit });
    const at = revision ?? kernel.store.currentRevision();
    const entry = await kernel.store.get(keyOf(resource, info.namespace, info.name), at);
    return { entries: entry === undefined || entry.key < fromKey ? [] : [entry], revision: at, remaining: 0 };
  } catch (error) {
    if (error instanceof Compacted) throw expired(prefix, fromKey);
    throw error;
  }
}

function expired(prefix: string, fromKey: string): ApiError {
  if (fromKey === prefix) {
    return new ApiError(410, "Expired", "The resourceVersion for the provided list is too old.");
  }
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError(410, "Expired", message, undefined, encodeContinue(fromKey, prefix, -1));
}
