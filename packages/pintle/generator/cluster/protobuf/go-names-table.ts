import type { Documents } from "../../documents.ts";
import { byText } from "../../schema.ts";
import { table } from "../table.ts";
import type { GoSources } from "./sources.ts";

const PLAIN = new Set(
  "map string int int32 int64 bool float64 byte Quantity Time MicroTime IntOrString RawExtension FieldsV1 JSON".split(" "),
);

/**
 * What Go calls the types of fields that are strings, numbers, or lists or maps of those, where it calls them anything:
 * a line per package, and below it, after a tab, a line per struct. Errors about JSON of another type name it.
 *
 *     ServicePort protocol=v1.Protocol
 */
export function goNamesTable(published: Documents, { messages, structs }: GoSources): string {
  const packages = new Map<string, string[]>();
  for (const [name, { package: own, fields }] of messages) {
    // No kind of a version that is still a draft is served.
    if (!/\.v\d+$/.test(own)) continue;
    const inner = new Map(fields.map(({ number, type }) => [number, type.slice(type.lastIndexOf(".") + 1)]));
    const words = (structs.get(name) ?? []).flatMap(({ number, json, type, inline }) => {
      const known = (word: string) => PLAIN.has(word) || word === inner.get(number);
      const isNamed = [...type.matchAll(/(?:\w+\.)?(\w+)/g)].some(([, word]) => !known(word!));
      return isNamed && !inline && json !== undefined ? [`${json}=${shown(type, own)}`] : [];
    });
    if (words.length === 0) continue;
    packages.set(own, [...(packages.get(own) ?? []), [name.slice(own.length + 1), ...words].join(" ")]);
  }
  const lines = [...packages]
    .sort(([a], [b]) => byText(a, b))
    .flatMap(([name, found]) => [name, ...found.sort(byText).map((line) => `\t${line}`)]);
  return table(published, "goNames", lines);
}

/** "[]corev1.Protocol" -> "[]v1.Protocol", and "[]Protocol" in the package v1 too. */
function shown(type: string, own: string): string {
  const home = own.slice(own.lastIndexOf(".") + 1);
  return type.replace(/^\*/, "").replace(/(?:(\w+)\.)?(\w+)/g, (_, alias: string | undefined, word: string) => {
    if (alias !== undefined) return `${/v\d+(?:(?:alpha|beta)\d+)?$/.exec(alias)?.[0] ?? alias}.${word}`;
    return /^[a-z]/.test(word) ? word : `${home}.${word}`;
  });
}
