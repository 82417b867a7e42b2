import { memoize, memoizeByKey } from "pintle/internal/memoize";
import { protobuf } from "../generated/protobuf.ts";

/** Describes how a message maps to JSON. The table format is described in generator/cluster/protobuf of the package pintle. */
export interface MessageDescriptor {
  readonly name: string;
  /** In the order of the Go struct, which is the order of the JSON fields. */
  readonly fields: readonly FieldDescriptor[];
  readonly byNumber: ReadonlyMap<number, FieldDescriptor>;
}

export interface FieldDescriptor {
  readonly index: number;
  readonly number: number;
  /** Encoding of a zero or missing value: omitted; always encoded; encoded if present on the wire; null if absent. */
  readonly presence: "nonzero" | "always" | "wire" | "null";
  /** Undefined: an embedded struct, whose fields belong to the enclosing object. */
  readonly json: string | undefined;
  readonly shape: "one" | "list" | "map";
  readonly type: ScalarTypeCode | (() => MessageDescriptor);
}
export type ScalarTypeCode = "s" | "n" | "b" | "d" | "y" | "q" | "i" | "t" | "m" | "r" | "e";

const PRESENCE = { ".": "nonzero", "!": "always", "?": "wire", "~": "null" } as const;

/** The lines of the table by the full name of the message, and the full names of kinds: "apps/v1/Deployment". */
export interface MessageTable {
  readonly lines: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, string>;
}

/** Splits the table on first use. */
export const getMessageTable: () => MessageTable = memoize(() => {
  const lines = new Map<string, string>();
  const kinds = new Map<string, string>();
  let prefix = "";
  for (const line of `${protobuf}\n${META_MESSAGES}`.split("\n")) {
    if (!line.startsWith("\t")) {
      prefix = line;
      continue;
    }
    const end = line.indexOf(" ");
    const [name = "", groupVersion] = line.slice(1, end === -1 ? undefined : end).split("@");
    lines.set(`${prefix}.${name}`, line.slice(1));
    if (groupVersion !== undefined) kinds.set(`${groupVersion}/${name}`, `${prefix}.${name}`);
  }
  return { lines, kinds };
});

/** Returns the message of a kind in requests; DeleteOptions exist in every group-version. */
export function findRequestMessage(apiVersion: string, kind: string): MessageDescriptor | undefined {
  const { kinds } = getMessageTable();
  const name =
    kinds.get(`${apiVersion}/${kind}`) ?? (kind === "DeleteOptions" ? "k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions" : undefined);
  return name === undefined ? undefined : parseMessage(name);
}

const META_PREFIX = "k8s.io.apimachinery.pkg.apis.meta.v1.";

/** Returns the message of a kind in responses; undefined for kinds without protobuf: custom resources, tables. */
export function findResponseMessage(apiVersion: string, kind: string): MessageDescriptor | undefined {
  if (META_MESSAGE_KINDS.has(kind)) return parseMessage(`${META_PREFIX}${kind}`);
  const own = getMessageTable().kinds.get(`${apiVersion}/${kind}`);
  if (own !== undefined) return parseMessage(own);
  if (!kind.endsWith("List")) return undefined;
  const item = findResponseMessage(apiVersion, kind.slice(0, -"List".length));
  return item === undefined ? undefined : listMessageOf(item);
}

/** Builds the list message of an item; all lists have the same fields. */
const listMessageOf = memoize((item: MessageDescriptor): MessageDescriptor => {
  const fields: readonly FieldDescriptor[] = [
    { index: 0, number: 1, presence: "always", json: "metadata", shape: "one", type: () => parseMessage(`${META_PREFIX}ListMeta`) },
    { index: 1, number: 2, presence: "always", json: "items", shape: "list", type: () => item },
  ];
  return { name: `${item.name}List`, fields, byNumber: new Map(fields.map((each) => [each.number, each])) };
});

const parseMessage = memoizeByKey((name: string): MessageDescriptor => {
  const own = name.slice(0, name.lastIndexOf("."));
  const fields = getMessageTable()
    .lines.get(name)!
    .split(" ")
    .slice(1)
    .map((word, i) => parseField(word, i, own));
  return { name, fields, byNumber: new Map(fields.map((each) => [each.number, each])) };
});

function parseField(word: string, index: number, own: string): FieldDescriptor {
  const [, number, presence, json, list, map, type = ""] = /^(\d+)([.!?~])([^:]*)(?::(\[)?(\{)?([^\]}]*)[\]}]?)?$/.exec(word)!;
  return {
    index,
    number: Number(number),
    presence: PRESENCE[presence as keyof typeof PRESENCE],
    json: json === "" ? undefined : json!,
    shape: list !== undefined ? "list" : map !== undefined ? "map" : "one",
    type: type.length < 2 ? ((type || "s") as ScalarTypeCode) : () => parseMessage(type.includes(".") ? type : `${own}.${type}`),
  };
}

/**
 * Messages that occur only in responses, in the format of the generated table: metadata lists, errors, discovery. Field numbers are those
 * of k8s.io/apimachinery.
 */
const META_MESSAGES = `k8s.io.apimachinery.pkg.apis.meta.v1
\tListMeta 1.selfLink 2.resourceVersion 3.continue 4?remainingItemCount:n 5?shardInfo:ShardInfo
\tShardInfo 1.selector
\tStatus 1!metadata:ListMeta 2.status 3.message 4.reason 5?details:StatusDetails 6.code:n
\tStatusDetails 1.name 2.group 3.kind 4.causes:[StatusCause] 5.retryAfterSeconds:n 6.uid
\tStatusCause 1.reason 2.message 3.field
\tPartialObjectMetadata 1!metadata:ObjectMeta
\tAPIVersions 1!versions:[] 2!serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
\tServerAddressByClientCIDR 1!clientCIDR 2!serverAddress
\tAPIGroupList 1!groups:[APIGroup]
\tAPIGroup 1!name 2!versions:[GroupVersionForDiscovery] 3.preferredVersion:GroupVersionForDiscovery 4.serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
\tGroupVersionForDiscovery 1!groupVersion 2!version
\tAPIResourceList 1!groupVersion 2!resources:[APIResource]
\tAPIResource 1!name 6!singularName 2!namespaced:b 8.group 9.version 3!kind 4!verbs:e 5.shortNames:[] 7.categories:[] 10.storageVersionHash`;

/** Kinds of response bodies among them. */
const META_MESSAGE_KINDS: ReadonlySet<string> = new Set(
  "Status PartialObjectMetadata APIVersions APIGroupList APIGroup APIResourceList".split(" "),
);
