import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { toYaml } from "../manifests/index.ts";

/** Creates placeholders for template expressions inside an object that is still plain data. */
export interface Placeholders {
  /** A scalar or JSON value: `replicas: {{ .Values.replicas }}`. */
  value(expression: string): string;
  /** A field that is rendered only if its value is not empty. */
  optional(expression: string): string;
  /** A list item or field that is replaced by these template lines. */
  lines(text: string): string;
}

/**
 * Renders the object that `build` returns as YAML and replaces its placeholders with template expressions. Braces in the object itself are
 * escaped.
 */
export function renderTemplate(build: (places: Placeholders) => JsonObject): string {
  const renderers: ((line: string) => string)[] = [];
  const addPlaceholder = (piece: (line: string) => string) => `PINTLE${renderers.push(piece)}PLACEHOLDER`;
  const object = build({
    value: (expression) => addPlaceholder((line) => line.replace(PLACEHOLDER, `{{ ${expression} }}`)),
    optional: (expression) =>
      addPlaceholder((line) => `{{- with ${expression} }}\n${line.replace(PLACEHOLDER, "{{ toJson . }}")}\n{{- end }}`),
    lines: (text) => addPlaceholder((line) => text.replace(/^(?!\{\{-)/gm, /^ */.exec(line)![0])),
  });
  return toYaml([object])
    .split("\n")
    .map((line) => line.replaceAll("{{", '{{ "{{" }}'))
    .map((line) => {
      const found = PLACEHOLDER.exec(line);
      if (found === null) return line;
      // A line may hold a second placeholder.
      const filled = renderers[Number(found[1]) - 1]!(line);
      return PLACEHOLDER.test(filled) ? filled.replace(PLACEHOLDER, (all, number) => renderers[Number(number) - 1]?.(all) ?? all) : filled;
    })
    .join("\n");
}
const PLACEHOLDER = /PINTLE(\d+)PLACEHOLDER/;

/** Returns the object with the operator's namespace replaced by the namespace of the Helm release. */
export function withReleaseNamespace(object: JsonObject, namespace: string, placeholders: Placeholders): JsonObject {
  const release = () => placeholders.value(".Release.Namespace");
  const walk = (value: Json, key: string): Json => {
    if (Array.isArray(value)) return value.map((each) => walk(each as Json, key));
    if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner as Json, name)]));
    if (typeof value !== "string") return value;
    // Also in namespace selectors that exclude the operator's own namespace from a webhook.
    if ((key === "namespace" || key === "values") && value === namespace) return release();
    if (key.endsWith("/inject-ca-from") && value.startsWith(`${namespace}/`)) return `${release()}${value.slice(namespace.length)}`;
    return value.includes(`.${namespace}.svc`) ? value.replace(`.${namespace}.svc`, `.${release()}.svc`) : value;
  };
  const released = walk(object, "") as JsonObject;
  if (object["kind"] !== "Namespace") return released;
  return { ...released, metadata: { ...(released["metadata"] as JsonObject), name: release() } };
}
