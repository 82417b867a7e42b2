import type { KindInfo } from "../../kinds/index.ts";
import { NotFound } from "../errors/request-errors.ts";
import { decodeItems, decodeObject } from "./decode-object.ts";
import type { ListMetadata, ObjectList } from "./objects.ts";
import type { GetOptions, ListOptions, PageOptions } from "./options.ts";
import { buildListQuery } from "./query.ts";
import { type NamespacedName, sendVerb, type VerbContext } from "./request.ts";

/** Items per page of a list, as in client-go. */
const DEFAULT_PAGE_SIZE = 500;

/** Returns the verbs that read objects. */
export function createReadVerbs(context: VerbContext) {
  async function get(kind: KindInfo, ref: NamespacedName, options: GetOptions = {}): Promise<unknown> {
    const query = options.resourceVersion === undefined ? undefined : { resourceVersion: options.resourceVersion };
    const response = await sendVerb(context, "GET", kind, { namespace: ref.namespace, name: ref.name }, { query }, options);
    return decodeObject(kind, await response.json());
  }

  async function find(kind: KindInfo, ref: NamespacedName, options?: GetOptions): Promise<unknown> {
    try {
      return await get(kind, ref, options);
    } catch (error) {
      if (error instanceof NotFound && !error.isUnservedKind) return undefined;
      throw error;
    }
  }

  async function list(kind: KindInfo, options: ListOptions = {}): Promise<ObjectList<unknown>> {
    const response = await sendVerb(
      context,
      "GET",
      kind,
      { namespace: options.namespace },
      { query: buildListQuery(options), isList: true },
      options,
    );
    const body = (await response.json()) as { readonly metadata: ListMetadata; readonly items: readonly unknown[] | null };
    return { metadata: body.metadata, items: decodeItems(kind, body.items ?? []) };
  }

  async function* listPages(kind: KindInfo, options: PageOptions = {}): AsyncGenerator<ObjectList<unknown>> {
    const { pageSize = DEFAULT_PAGE_SIZE, resourceVersion, resourceVersionMatch, ...selection } = options;
    // Only the first page names the resourceVersion; the continue token implies it afterwards.
    let page = await list(kind, { ...selection, limit: pageSize, resourceVersion, resourceVersionMatch });
    yield page;
    while (page.metadata.continue) {
      page = await list(kind, { ...selection, limit: pageSize, continue: page.metadata.continue });
      yield page;
    }
  }

  return { get, find, list, listPages };
}
