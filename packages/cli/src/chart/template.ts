import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { yamlOf } from "../manifests/index.ts";

/** What stands for a piece of template while an object is still data. */
export interface Places {
  /** A scalar or a JSON value: `replicas: {{ .Values.replicas }}`. */
  value(expression: string): string;
  /** A field that is only there when its value is not empty. */
  optional(expression: string): string;
  /** A list item, or a field, that is the text given, line by line. */
  lines(text: string): string;
}

/** An object's YAML, with template where `make` put a place. Braces that the object has itself stay what they are. */
export function template(make: (places: Places) => JsonObject): string {
  const pieces: ((line: string) => string)[] = [];
  const place = (piece: (line: string) => string) => `PINTLE${pieces.push(piece)}PLACE`;
  const object = make({
    value: (expression) => place((line) => line.replace(PLACE, `{{ ${expression} }}`)),
    optional: (expression) => place((line) => `{{- with ${expression} }}\n${line.replace(PLACE, "{{ toJson . }}")}\n{{- end }}`),
    lines: (text) => place((line) => text.replace(/^(?!\{\{-)/gm, /^ */.exec(line)![0])),
  });
  return yamlOf([object])
    .split("\n")
    .map((line) => line.replaceAll("{{", '{{ "{{" }}'))
    .map((line) => {
      const found = PLACE.exec(line);
      if (found === null) return line;
      // More than one on a line: each in turn.
      const filled = pieces[Number(found[1]) - 1]!(line);
      return PLACE.test(filled) ? filled.replace(PLACE, (all, number) => pieces[Number(number) - 1]?.(all) ?? all) : filled;
    })
    .join("\n");
}
const PLACE = /PINTLE(\d+)PLACE/;

/** The object with the operator's namespace as the release's, wherever it says it. */
export function inRelease(object: JsonObject, namespace: string, places: Places): JsonObject {
  const release = () => places.value(".Release.Namespace");
  const walk = (value: Json, key: string): Json => {
    if (Array.isArray(value)) return value.map((each) => walk(each as Json, key));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner as Json, name)]));
    if (typeof value !== "string") return value;
    // Also where a webhook is kept away from the operator's own namespace.
    if ((key === "namespace" || key === "values") && value === namespace) return release();
    if (key.endsWith("/inject-ca-from") && value.startsWith(`${namespace}/`)) return `${release()}${value.slice(namespace.length)}`;
    return value.includes(`.${namespace}.svc`) ? value.replace(`.${namespace}.svc`, `.${release()}.svc`) : value;
  };
  const placed = walk(object, "") as JsonObject;
  if (object["kind"] !== "Namespace") return placed;
  return { ...placed, metadata: { ...(placed["metadata"] as JsonObject), name: release() } };
}
