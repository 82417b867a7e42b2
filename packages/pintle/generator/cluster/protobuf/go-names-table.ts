import type { PublishedDocuments } from "../../input/documents.ts";
import { compareText } from "../../schema.ts";
import { renderTable } from "../table.ts";
import type { GoSources } from "./sources.ts";

const PLAIN = new Set(
  "map string int int32 int64 bool float64 byte Quantity Time MicroTime IntOrString RawExtension FieldsV1 JSON".split(" "),
);

/**
 * Renders the named Go types of fields that are strings, numbers, or lists or maps of those: a line per package, and below it, after a
 * tab, a line per struct. The API server's decoding errors contain these names.
 *
 *     ServicePort protocol=v1.Protocol
 */
export function goNamesTable(published: PublishedDocuments, { messages, structs }: GoSources): string {
  const packages = new Map<string, string[]>();
  for (const [name, { package: own, fields }] of messages) {
    // Kinds of alpha and beta versions are not served.
    if (!/\.v\d+$/.test(own)) continue;
    const inner = new Map(fields.map(({ number, type }) => [number, type.slice(type.lastIndexOf(".") + 1)]));
    const words = (structs.get(name) ?? []).flatMap(({ number, json, type, inline }) => {
      const isKnown = (word: string) => PLAIN.has(word) || word === inner.get(number);
      const isNamed = [...type.matchAll(/(?:\w+\.)?(\w+)/g)].some(([, word]) => !isKnown(word!));
      return isNamed && !inline && json !== undefined ? [`${json}=${formatGoType(type, own)}`] : [];
    });
    if (words.length === 0) continue;
    packages.set(own, [...(packages.get(own) ?? []), [name.slice(own.length + 1), ...words].join(" ")]);
  }
  const lines = [...packages]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([name, found]) => [name, ...found.sort(compareText).map((line) => `\t${line}`)]);
  return renderTable(published, "goNames", lines);
}

/** "[]corev1.Protocol" -> "[]v1.Protocol", and "[]Protocol" in the package v1 too. */
function formatGoType(type: string, own: string): string {
  const home = own.slice(own.lastIndexOf(".") + 1);
  return type.replace(/^\*/, "").replace(/(?:(\w+)\.)?(\w+)/g, (_, alias: string | undefined, word: string) => {
    if (alias !== undefined) return `${/v\d+(?:(?:alpha|beta)\d+)?$/.exec(alias)?.[0] ?? alias}.${word}`;
    return /^[a-z]/.test(word) ? word : `${home}.${word}`;
  });
}
