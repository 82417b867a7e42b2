import type { KindFacts } from "../kinds/index.ts";
import { type Core, type PlainRef, send } from "./core.ts";
import { NotFound } from "./errors.ts";
import type { List, ListMetadata } from "./objects.ts";
import type { GetOptions, ListOptions, PageOptions } from "./options.ts";
import { presented, presentedItems } from "./presented.ts";
import { listQuery } from "./query.ts";

const PAGE = 500;

export function reading(core: Core) {
  async function get(kind: KindFacts, ref: PlainRef, options: GetOptions = {}): Promise<unknown> {
    const query = options.resourceVersion === undefined ? undefined : { resourceVersion: options.resourceVersion };
    const response = await send(core, "GET", kind, { namespace: ref.namespace, name: ref.name }, { query }, options);
    return presented(kind, await response.json());
  }

  async function find(kind: KindFacts, ref: PlainRef, options?: GetOptions): Promise<unknown> {
    try {
      return await get(kind, ref, options);
    } catch (error) {
      if (error instanceof NotFound && !error.ofKind) return undefined;
      throw error;
    }
  }

  async function list(kind: KindFacts, options: ListOptions = {}): Promise<List<unknown>> {
    const response = await send(core, "GET", kind, { namespace: options.namespace }, { query: listQuery(options), list: true }, options);
    const answer = (await response.json()) as { readonly metadata: ListMetadata; readonly items: readonly unknown[] | null };
    return { metadata: answer.metadata, items: presentedItems(kind, answer.items ?? []) };
  }

  async function* pages(kind: KindFacts, options: PageOptions = {}): AsyncGenerator<List<unknown>> {
    const { size = PAGE, resourceVersion, resourceVersionMatch, ...selection } = options;
    // Only the first page says which version is meant; the token stands for it afterwards.
    let page = await list(kind, { ...selection, limit: size, resourceVersion, resourceVersionMatch });
    yield page;
    while (page.metadata.continue) {
      page = await list(kind, { ...selection, limit: size, continue: page.metadata.continue });
      yield page;
    }
  }

  return { get, find, list, pages };
}
