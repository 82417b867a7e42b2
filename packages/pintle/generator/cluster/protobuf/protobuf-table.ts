import type { PublishedDocuments } from "../../input/documents.ts";
import { builtInGroupVersions } from "../../kinds/built-in-kinds.ts";
import { compareText } from "../../schema.ts";
import { renderTable } from "../table.ts";
import type { GoField } from "./go-file.ts";
import type { ProtoField, ProtoMessage } from "./proto-file.ts";
import type { GoSources } from "./sources.ts";

const META = "k8s.io.apimachinery.pkg.apis.meta.v1";

/** The letters of scalars, and of messages with a special JSON encoding; strings have none. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ["string", ""],
  ["int32", "n"],
  ["int64", "n"],
  ["bool", "b"],
  ["double", "d"],
  ["bytes", "y"],
  ["k8s.io.apimachinery.pkg.api.resource.Quantity", "q"],
  ["k8s.io.apimachinery.pkg.util.intstr.IntOrString", "i"],
  [`${META}.Time`, "t"],
  [`${META}.MicroTime`, "m"],
  [`${META}.FieldsV1`, "r"],
  ["k8s.io.apimachinery.pkg.runtime.RawExtension", "r"],
  ["k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON", "r"],
  ["k8s.io.api.authentication.v1.ExtraValue", "e"],
  ["k8s.io.api.authorization.v1.ExtraValue", "e"],
  ["k8s.io.api.certificates.v1.ExtraValue", "e"],
]);

/**
 * Renders how the messages of request bodies become JSON. A line per package, and below it, after a tab, a line per message:
 *
 *     PodSpec 1.volumes:[Volume] 3.restartPolicy 4?activeDeadlineSeconds:n 2!containers:[Container]
 *     Deployment@apps/v1 ...         the message is that kind
 *
 * A field is its number, its encoding when it is zero or missing (`.` omitted, `!` written, `?` written exactly when it is on the wire,
 * `~` null when it is not), its JSON name (none: its fields are written into this object), and its type: [x] a list, {x} a map from
 * strings, a letter, or a message (with its package, unless that is the same):
 * n number, b boolean, d double, y bytes, q Quantity, i IntOrString, t Time, m MicroTime, r JSON inside bytes,
 * e a list of strings in a message of its own; nothing: string.
 */
export function protobufTable(published: PublishedDocuments, sources: GoSources): string {
  const kinds = new Map(
    builtInGroupVersions(published).flatMap((each) =>
      each.kinds.map(
        ({ definition }) => [messageName(definition), each.group === "" ? each.version : `${each.group}/${each.version}`] as const,
      ),
    ),
  );
  const seen = new Set([...kinds.keys(), `${META}.DeleteOptions`]);
  const packages = new Map<string, string[]>();
  // The iteration of a Set also visits values added during the iteration.
  for (const name of seen) {
    const message = sources.messages.get(name);
    if (message === undefined) throw new Error(`${name} is published, but no generated.proto declares it`);
    const groupVersion = kinds.get(name);
    const words = fieldsOf(message, sources).map(({ proto, go }) => fieldText(proto, go, message, seen));
    const line = [groupVersion === undefined ? message.name : `${message.name}@${groupVersion}`, ...words].join(" ");
    packages.set(message.package, [...(packages.get(message.package) ?? []), line]);
  }
  const lines = [...packages]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([name, messages]) => [name, ...messages.sort(compareText).map((line) => `\t${line}`)]);
  return renderTable(published, "protobuf", lines);
}

/** io.k8s.api.apps.v1.Deployment -> k8s.io.api.apps.v1.Deployment; protobuf has no dashes in names. */
function messageName(definition: string): string {
  return definition.replace(/^io\.k8s\./, "k8s.io.").replaceAll("-", "_");
}

function fieldsOf(message: ProtoMessage, sources: GoSources): readonly { readonly proto: ProtoField; readonly go: GoField }[] {
  const struct = sources.structs.get(`${message.package}.${message.name}`) ?? [];
  const protos = new Map(message.fields.map((field) => [field.number, field]));
  const missing = message.fields.find((field) => !struct.some((go) => go.number === field.number));
  if (missing !== undefined) throw new Error(`${message.package}.${message.name}.${missing.name} has no field in Go`);
  return struct.map((go) => ({ go, proto: protos.get(go.number)! }));
}

function fieldText(proto: ProtoField, go: GoField, owner: ProtoMessage, seen: Set<string>): string {
  const letter = LETTERS.get(proto.type);
  if (letter === undefined) seen.add(proto.type);
  const local = proto.type.startsWith(`${owner.package}.`) ? proto.type.slice(owner.package.length + 1) : proto.type;
  const one = letter ?? local;
  const type = proto.shape === "list" ? `[${one}]` : proto.shape === "map" ? `{${one}}` : one;
  const name = go.inline ? "" : (go.json ?? proto.name);
  return `${proto.number}${presenceMark(proto, go, letter)}${name}${type === "" ? "" : `:${type}`}`;
}

/** As in Go's JSON encoder, `omitempty` does not apply to structs. */
function presenceMark(proto: ProtoField, go: GoField, letter: string | undefined): string {
  if (go.pointer) return go.omitEmpty ? "?" : "~";
  if (go.omitZero) return ".";
  const isStruct = proto.shape === "one" && (letter === undefined || "qitmr".includes(letter || "-"));
  return isStruct || (go.json !== undefined && !go.omitEmpty) ? "!" : ".";
}
