import { PintleError } from "pintle/internal/errors";
import { encodeGoJson, quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject, parseJson } from "pintle/internal/json";
import { decodeGo, fromUnstructured, type GoType } from "../go-types/index.ts";
import { parseYamlDocument, parseYamlDocuments } from "../yaml/index.ts";
import type { ClusterServiceVersion, NamedObject, RegistryBundle } from "./types.ts";

/** The files of a bundle by their path with `/`, such as `metadata/annotations.yaml`. */
export type BundleFiles = ReadonlyMap<string, Buffer>;

const MANIFESTS = "manifests";
const ANNOTATIONS_FILE = "metadata/annotations.yaml";
const PROPERTIES_FILE = "metadata/properties.yaml";
const PACKAGE_ANNOTATION = "operators.operatorframework.io.bundle.package.v1";
const CHANNELS_ANNOTATION = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT_CHANNEL_ANNOTATION = "operators.operatorframework.io.bundle.channel.default.v1";
const PROPERTIES_ANNOTATION = "olm.properties";
const ANNOTATIONS: GoType = {
  struct: "registry.AnnotationsFile",
  fields: {
    annotations: {
      struct: "registry.Annotations",
      fields: { [PACKAGE_ANNOTATION]: "string", [CHANNELS_ANNOTATION]: "string", [DEFAULT_CHANNEL_ANNOTATION]: "string" },
    },
  },
};
const PROPERTIES: GoType = { list: { struct: "property.Property", fields: { type: "string", value: "any" } } };
const PROPERTIES_DOCUMENT: GoType = { struct: "source.RegistryV1Properties", fields: { properties: PROPERTIES } };

/**
 * Reads a registry+v1 bundle from its files as operator-controller does. Throws `PintleError` with its text if the bundle cannot be read.
 *
 * @example
 * ```ts
 * import { readBundle, readBundleFolder } from "@pintle/lifecycle";
 *
 * const { packageName, crds } = readBundle(readBundleFolder("bundle"));
 * ```
 */
export function readBundle(files: BundleFiles): RegistryBundle {
  const annotations = files.get(ANNOTATIONS_FILE);
  if (annotations === undefined) throw unreadable(`open ${ANNOTATIONS_FILE}: no such file or directory`);
  const parsed = decodeGo(toStrings(readYaml(annotations), ANNOTATIONS), ANNOTATIONS) as
    | { readonly annotations?: Readonly<Record<string, string>> }
    | undefined;
  let csv: ClusterServiceVersion | undefined;
  const crds: NamedObject[] = [];
  const others: NamedObject[] = [];
  for (const [path, object] of readManifests(files)) {
    try {
      if (object.kind === "ClusterServiceVersion") csv = fromUnstructured(object, "operators/v1alpha1.ClusterServiceVersion");
      else if (object.kind === "CustomResourceDefinition") crds.push(fromUnstructured(object, "apiextensions/v1.CustomResourceDefinition"));
      else others.push(object);
    } catch (error) {
      throw unreadable(`error parsing objects in ${quoteGoString(path)}: ${messageOf(error)}`);
    }
  }
  if (csv === undefined) throw unreadable(`no ClusterServiceVersion found in ${quoteGoString(MANIFESTS)}`);
  return {
    packageName: parsed?.annotations?.[PACKAGE_ANNOTATION] ?? "",
    csv: withProperties(csv, files.get(PROPERTIES_FILE)),
    crds,
    others,
  };
}

/** The objects below `manifests`, in the order of the files. */
function* readManifests(files: BundleFiles): Generator<readonly [path: string, object: NamedObject]> {
  const paths = [...files.keys()].filter((path) => path.startsWith(`${MANIFESTS}/`)).sort(comparePaths);
  if (paths.length === 0) throw unreadable(`stat ${MANIFESTS}: no such file or directory`);
  for (const path of paths) {
    const [folder, rest] = path.slice(MANIFESTS.length + 1).split("/") as [string, string | undefined];
    if (rest !== undefined) {
      const found = quoteGoString(`${MANIFESTS}/${folder}`);
      throw unreadable(
        `subdirectories are not allowed within the ${quoteGoString(MANIFESTS)} directory of the bundle image filesystem: found ${found}`,
      );
    }
    for (const object of parseObjects(path, files.get(path)!)) yield [path, object];
  }
}

function parseObjects(path: string, bytes: Buffer): NamedObject[] {
  let documents: unknown[];
  try {
    documents = parseYamlDocuments(bytes.toString("utf8"));
  } catch (error) {
    throw unreadable(
      `error parsing objects in ${quoteGoString(path)}: error parsing ${path}: error converting YAML to JSON: yaml: ${messageOf(error)}`,
    );
  }
  return documents.flatMap((document) => {
    const object = document as Json;
    if (!isJsonObject(object) || typeof object["kind"] !== "string" || object["kind"] === "") {
      const shown = encodeGoJson(object);
      const why = isJsonObject(object)
        ? `Object 'Kind' is missing in '${shown}'`
        : `json: cannot unmarshal ${Array.isArray(object) ? "array" : typeof object} into Go value of type map[string]interface {}`;
      throw unreadable(`error parsing objects in ${quoteGoString(path)}: unable to decode ${quoteGoString(path)}: ${why}`);
    }
    return flattenList(object).map((item) => {
      checkMetadata(path, item);
      return item;
    });
  });
}

/** The metadata of every object is decoded, whatever its kind. */
function checkMetadata(path: string, { apiVersion, metadata }: JsonObject): void {
  try {
    fromUnstructured({ apiVersion, metadata }, "apiextensions/v1.CustomResourceDefinition");
  } catch (error) {
    throw unreadable(`error parsing objects in ${quoteGoString(path)}: unable to decode ${quoteGoString(path)}: ${messageOf(error)}`);
  }
}

/** Lists stand for their items. */
function flattenList(object: JsonObject): NamedObject[] {
  const items = object["items"];
  if (!String(object["kind"]).endsWith("List") || !Array.isArray(items)) return [object as NamedObject];
  return (items as readonly Json[]).flatMap((item) => (isJsonObject(item) ? flattenList(item) : []));
}

/** Adds the properties of `metadata/properties.yaml` to those in the CSV's annotation. */
function withProperties(csv: ClusterServiceVersion, file: Buffer | undefined): ClusterServiceVersion {
  const inCsv = csv.metadata?.annotations?.[PROPERTIES_ANNOTATION];
  const own =
    inCsv === undefined
      ? []
      : decodeProperties(`failed to unmarshal csv.metadata.annotations['${PROPERTIES_ANNOTATION}']`, () => parseJson(Buffer.from(inCsv)));
  if (file === undefined || file.length === 0) return csv;
  const added = decodeProperties("failed to unmarshal metadata/properties.yaml", () => {
    return (decodeGo(toStrings(readYaml(file), PROPERTIES_DOCUMENT), PROPERTIES_DOCUMENT) as { readonly properties?: unknown } | undefined)
      ?.properties;
  });
  const all = [...own, ...added].map(({ type = "", value = null }) => `{"type":${encodeGoJson(type)},"value":${encodeGoJson(value)}}`);
  const annotation = all.length === 0 ? "null" : `[${all.join(",")}]`;
  return { ...csv, metadata: { ...csv.metadata, annotations: { ...csv.metadata?.annotations, [PROPERTIES_ANNOTATION]: annotation } } };
}

function decodeProperties(what: string, read: () => unknown): readonly { readonly type?: string; readonly value?: unknown }[] {
  try {
    return (decodeGo(read(), PROPERTIES) as readonly { readonly type?: string; readonly value?: unknown }[] | undefined) ?? [];
  } catch (error) {
    throw unreadable(`${what}: ${messageOf(error)}`);
  }
}

function readYaml(bytes: Buffer): unknown {
  try {
    return parseYamlDocument(bytes.toString("utf8"));
  } catch (error) {
    throw unreadable(`error converting YAML to JSON: yaml: ${messageOf(error)}`);
  }
}

/** Unlike JSON, scalars of YAML are accepted wherever Go has a string. */
function toStrings(value: unknown, type: GoType): unknown {
  if (type === "string") return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof type !== "object" || typeof value !== "object" || value === null) return value;
  if ("list" in type) return Array.isArray(value) ? value.map((item) => toStrings(item, type.list)) : value;
  if (!("fields" in type) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toStrings(field, type.fields[key] ?? "any")]));
}

/** Go walks a folder by the names of its entries. */
function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreadable(message: string): PintleError {
  return new PintleError("PINTLE8015", message);
}
