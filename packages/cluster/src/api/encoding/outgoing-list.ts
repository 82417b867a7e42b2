import { stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { encodeProtobuf, LazyList, ProtobufList } from "../../codec/index.ts";
import { eventLoopTurns, mapInTurns, Slices, yieldInTurns } from "../../turns/index.ts";
import { formatApiVersion } from "../registry/served-resource.ts";
import { BODY_CHUNK_BYTES, type EncodedBody, type EncodedObject, type MediaType, type ObjectBody } from "../request/api-request.ts";
import type { OutgoingObject } from "./outgoing-object.ts";
import {
  type EntryEncoding,
  type JsonSegment,
  measureJson,
  metadataEncoding,
  type SplicedJson,
  spliceJson,
  untypedEntryEncoding,
  wholeEntryEncoding,
} from "./splice-json.ts";
import { buildRow, sortRows } from "./table.ts";
import { type ListMeta, type ResponseFormat, transformList } from "./transform.ts";

/** Objects of a collection, as of one revision. */
export interface ListPage {
  readonly items: readonly OutgoingObject[];
  readonly metadata: ListMeta;
}

/** Builds the body of a response with a page of a list. JSON is copied from the bytes of the store where items are sent as they are stored. */
export function createOutgoingList(format: ResponseFormat, page: ListPage): ObjectBody {
  return format.mediaTypeOptions.convertTo?.kind === "Table" ? new OutgoingTable(format, page) : new OutgoingList(format, page);
}

/** An object whose last field may be a list that is made while it is encoded. */
export type LazyValue = Readonly<Record<string, Json | LazyList>>;

export abstract class OutgoingPage implements ObjectBody, EncodedObject {
  readonly type = "json";
  readonly turns = eventLoopTurns.begin();
  readonly mediaType: MediaType;
  protected readonly format: ResponseFormat;
  protected readonly page: ListPage;
  protected readonly emptyList: JsonObject;

  constructor(format: ResponseFormat, page: ListPage) {
    this.mediaType = format.mediaTypeOptions.mediaType;
    this.format = format;
    this.page = page;
    this.emptyList = this.transform([]);
  }

  get value(): JsonObject {
    return this.transform(this.page.items.map(({ object }) => object));
  }

  get encoded(): EncodedObject {
    return this;
  }

  get metadata(): EncodedObject["metadata"] {
    return this.page.metadata;
  }

  abstract json(): Promise<EncodedBody>;

  /** The items in the order in which they are sent. */
  protected abstract sortItems(): Promise<readonly OutgoingObject[]>;

  /** The value, with items that are made while they are encoded. */
  async lazyValue(): Promise<LazyValue> {
    const items = await this.sortItems();
    const list = new LazyList(items.length, (index) => this.transformItem((items[index] as OutgoingObject).decodeOnce()));
    return { ...this.emptyList, [getListField(this.emptyList)]: list } as LazyValue;
  }

  protected transformItem(object: JsonObject): JsonObject {
    return (this.transform([object])[getListField(this.emptyList)] as readonly JsonObject[])[0] as JsonObject;
  }

  protected transform(objects: readonly JsonObject[]): JsonObject {
    return transformList(this.format, objects, this.page.metadata);
  }

  protected splice(json: SplicedJson): EncodedBody {
    const length = measureJson(json);
    if (length > BODY_CHUNK_BYTES) return { length, chunks: yieldInTurns(spliceJson(json, BODY_CHUNK_BYTES), this.turns) };
    return spliceJson(json, length).next().value;
  }

  /** Encodes the list up to its last field, which holds the items. */
  protected encodeHead(): string {
    return stringifyJson(this.emptyList).slice(0, -"]}".length);
  }
}

/** The last field of a list holds its items, or the rows of a table. */
function getListField(list: JsonObject): string {
  return Object.keys(list).at(-1) as string;
}

const ENDING = "]}\n";

class OutgoingList extends OutgoingPage {
  async json(): Promise<EncodedBody> {
    const encoding = this.#selectEncoding();
    const segments = await mapInTurns(
      this.page.items,
      (item): JsonSegment => {
        if (item.entry !== undefined && encoding.canEncode(item.entry)) return { prefix: "", entry: item.entry };
        return { prefix: stringifyJson(this.transformItem(item.object)) };
      },
      this.turns,
    );
    return this.splice({ head: this.encodeHead(), segments, encoding, suffix: "", tail: ENDING });
  }

  protected async sortItems(): Promise<readonly OutgoingObject[]> {
    return this.page.items;
  }

  async protobuf(): Promise<EncodedBody> {
    const { items } = this.page;
    if (this.format.mediaTypeOptions.convertTo !== undefined) return encodeProtobuf(this.transform(items.map((item) => item.decodeOnce())));
    const stored = items.map((item) => ({ key: item.entry ?? item.object, read: () => item.decodeOnce() }));
    const list = new ProtobufList(this.emptyList, stored);
    for (const slices = new Slices(this.turns); !list.measureNext(); ) if (slices.isOver()) await slices.next();
    if (list.length > BODY_CHUNK_BYTES) return { length: list.length, chunks: yieldInTurns(list.encode(BODY_CHUNK_BYTES), this.turns) };
    return Buffer.concat([...list.encode(BODY_CHUNK_BYTES)]);
  }

  #selectEncoding(): EntryEncoding {
    const { resource, mediaTypeOptions } = this.format;
    if (mediaTypeOptions.convertTo !== undefined) return metadataEncoding(mediaTypeOptions.convertTo.version);
    // Items of built-in kinds have no kind and apiVersion: the list has.
    return resource.typed
      ? untypedEntryEncoding(`{"kind":"${resource.kind}","apiVersion":"${formatApiVersion(resource)}",`)
      : wholeEntryEncoding;
  }
}

class OutgoingTable extends OutgoingPage {
  async json(): Promise<EncodedBody> {
    const { resource, mediaTypeOptions, includeObject } = this.format;
    const segments = await mapInTurns(
      await this.#sortRows(),
      ({ item, object }): JsonSegment => {
        const prefix = `${stringifyJson(buildRow(resource, object, this.format)).slice(0, -"}".length)},"object":`;
        if (includeObject === "None") return { prefix: `${prefix}null` };
        return item.entry === undefined
          ? { prefix: `${prefix}${stringifyJson(this.transformItem(item.object)["object"])}` }
          : { prefix, entry: item.entry };
      },
      this.turns,
    );
    const encoding = includeObject === "Object" ? wholeEntryEncoding : metadataEncoding(mediaTypeOptions.convertTo?.version ?? "v1");
    return this.splice({ head: this.encodeHead(), segments, encoding, suffix: "}", tail: ENDING });
  }

  protected async sortItems(): Promise<readonly OutgoingObject[]> {
    return (await this.#sortRows()).map(({ item }) => item);
  }

  async #sortRows(): Promise<readonly { readonly item: OutgoingObject; readonly object: JsonObject }[]> {
    const { resource } = this.format;
    // Columns of custom resources may be about managedFields.
    const rows = await mapInTurns(
      this.page.items,
      (item) => ({
        item,
        object: resource.typed ? item.decodeOnceWithoutManagedFields() : item.decodeOnce(),
      }),
      this.turns,
    );
    return sortRows(rows, ({ object }) => object, resource);
  }
}
