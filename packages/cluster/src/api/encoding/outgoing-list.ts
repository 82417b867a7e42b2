import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf, encodeProtobufList } from "../../codec/index.ts";
import { formatApiVersion } from "../registry/served-resource.ts";
import type { EncodedObject, MediaType, ObjectBody } from "../request/api-request.ts";
import type { OutgoingObject } from "./outgoing-object.ts";
import {
  type EntryEncoding,
  type JsonSegment,
  metadataEncoding,
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

abstract class OutgoingPage implements ObjectBody, EncodedObject {
  readonly type = "json";
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

  abstract json(): Uint8Array;

  protected transform(objects: readonly JsonObject[]): JsonObject {
    return transformList(this.format, objects, this.page.metadata);
  }

  /** Encodes the list up to its last field, which holds the items. */
  protected encodeHead(): string {
    return stringifyJson(this.emptyList).slice(0, -"]}".length);
  }
}

const ENDING = "]}\n";

class OutgoingList extends OutgoingPage {
  json(): Uint8Array {
    const encoding = this.#selectEncoding();
    const segments = this.page.items.map((item): JsonSegment => {
      if (item.entry !== undefined && encoding.canEncode(item.entry)) return { prefix: "", entry: item.entry };
      return { prefix: stringifyJson((this.transform([item.object])["items"] as readonly JsonObject[])[0]) };
    });
    return spliceJson({ head: this.encodeHead(), segments, encoding, suffix: "", tail: ENDING });
  }

  protobuf(): Uint8Array {
    const { items } = this.page;
    if (this.format.mediaTypeOptions.convertTo !== undefined) return encodeProtobuf(this.transform(items.map((item) => item.decodeOnce())));
    const stored = items.map((item) => ({ key: item.entry ?? item.object, read: () => item.decodeOnce() }));
    return encodeProtobufList(this.emptyList, stored);
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
  json(): Uint8Array {
    const { resource, mediaTypeOptions, includeObject } = this.format;
    // Columns of custom resources may be about managedFields.
    const rows = this.page.items.map((item) => ({
      item,
      object: resource.typed ? item.decodeOnceWithoutManagedFields() : item.decodeOnce(),
    }));
    const segments = sortRows(rows, ({ object }) => object, resource).map(({ item, object }): JsonSegment => {
      const prefix = `${stringifyJson(buildRow(resource, object, this.format)).slice(0, -"}".length)},"object":`;
      if (includeObject === "None") return { prefix: `${prefix}null` };
      return item.entry === undefined
        ? { prefix: `${prefix}${stringifyJson(this.#transformRowObject(item.object))}` }
        : { prefix, entry: item.entry };
    });
    const encoding = includeObject === "Object" ? wholeEntryEncoding : metadataEncoding(mediaTypeOptions.convertTo?.version ?? "v1");
    return spliceJson({ head: this.encodeHead(), segments, encoding, suffix: "}", tail: ENDING });
  }

  #transformRowObject(object: JsonObject): unknown {
    return (this.transform([object])["rows"] as readonly JsonObject[])[0]?.["object"];
  }
}
