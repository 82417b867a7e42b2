import { PintleError } from "pintle/internal/errors";
import { encodeGoJson, formatGoNumber } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject, parseJson } from "pintle/internal/json";
import type { BundleFiles } from "../bundle/index.ts";
import { parseYamlDocuments } from "../yaml/index.ts";
import { type CatalogBlob, createBundleBlob, propertiesOf } from "./blob-value.ts";

const PACKAGE = "operators.operatorframework.io.bundle.package.v1";
const CHANNELS = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT_CHANNEL = "operators.operatorframework.io.bundle.channel.default.v1";
const PROPERTIES_ANNOTATION = "olm.properties";

/** A bundle as a blob of a catalog, and what templates need to know about it. */
export interface RenderedBundle {
  readonly blob: CatalogBlob;
  readonly csv: JsonObject;
}

/** A property of `olm.bundle`, as JSON. */
interface JsonProperty {
  readonly type: string;
  readonly value: Json;
}

interface ApiKey {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** How the image of a bundle is known: by its reference, or made from what the bundle says about itself. */
export type BundleImageName = string | ((bundle: { readonly package: string; readonly name: string; readonly version: string }) => string);

/**
 * Returns the `olm.bundle` of a bundle as `opm render` writes it, with every manifest as a property. Throws `PintleError` with the text of
 * operator-registry for files that are no bundle.
 */
export function renderBundleBlob(files: BundleFiles, image: BundleImageName): RenderedBundle {
  const objects = readManifests(files);
  const csv = objects.find(({ kind }) => kind === "ClusterServiceVersion");
  if (objects.length === 0) throw unreadable("no bundle objects found");
  if (csv === undefined) throw unreadable("no csv in bundle");
  const spec = (isObject(csv["spec"]) ? csv["spec"] : {}) as JsonObject;
  const name = readText(metadataOf(csv)["name"]);
  const provided = new Map([...listDefinedApis(objects), ...listApiServices(spec, "owned")].map((key) => [formatKey(key), key]));
  checkOwned(spec, provided, name);
  const { annotations, dependencies, properties } = readMetadata(files);
  if (annotations === undefined) throw unreadable("Could not find annotations file");
  const packageName = readText(annotations[PACKAGE]);
  const version = readText(spec["version"]);
  const release = readRelease(spec["release"]);
  const own = readCsvProperties(csv);
  const derived: JsonProperty[] = [
    ...(packageName === "" ? [] : [{ type: "olm.package", value: { packageName, version, ...(release === "" ? {} : { release }) } }]),
    ...own,
  ];
  const all = [...properties, ...derived];
  const reference = typeof image === "string" ? image : image({ package: packageName, name, version: versionOf(all) });
  const rendered = collectProperties({ objects, all, dependencies, provided, spec, fallback: { packageName, version, release } });
  const blob = createBundleBlob({
    name,
    package: packageName,
    image: reference,
    properties: rendered,
    relatedImages: listRelatedImages(spec, reference),
  });
  if (blob.value["properties"] === undefined) return { blob, csv };
  return { blob: { ...blob, value: { ...blob.value, properties: propertiesOf(blob).map(orderPackageFields) } }, csv };
}

/** operator-registry writes the release, a field that came later, behind the version. */
function orderPackageFields({ type, value }: { readonly type: string; readonly value: Json }): JsonObject {
  if (type !== "olm.package" || !isObject(value)) return { type, value };
  const { release, ...fields } = value as JsonObject;
  return { type, value: release === undefined ? fields : { ...fields, release } };
}

/** The first document of every file directly in `manifests`; what cannot be parsed is skipped, as are all CSVs but the first. */
function readManifests(files: BundleFiles): (JsonObject & { readonly kind?: Json })[] {
  const objects: JsonObject[] = [];
  let hasCsv = false;
  for (const [path, bytes] of files) {
    const file = /^manifests\/([^/.][^/]*)$/.exec(path)?.[1];
    const object = file === undefined ? undefined : readFirst(bytes);
    if (object === undefined || typeof object["kind"] !== "string" || object["kind"] === "") continue;
    if (object["kind"] === "ClusterServiceVersion") {
      if (hasCsv) continue;
      hasCsv = true;
    }
    objects.push(object);
  }
  return objects;
}

function readFirst(bytes: Buffer): JsonObject | undefined {
  try {
    const value = startsAsJson(bytes) ? parseJson(bytes) : parseYamlDocuments(bytes.toString("utf8"))[0];
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const startsAsJson = (bytes: Buffer) => /^\s*\{/.test(bytes.toString("latin1", 0, 100));

/** Every file in `metadata` may hold each of the three: the first with something in it counts. */
function readMetadata(files: BundleFiles) {
  let annotations: JsonObject | undefined;
  let dependencies: readonly JsonProperty[] = [];
  let properties: readonly JsonProperty[] = [];
  for (const [path, bytes] of files) {
    const value = /^metadata\/[^/]+$/.test(path) ? readFirst(bytes) : undefined;
    if (value === undefined) continue;
    const found = value["annotations"];
    if (annotations === undefined && isObject(found)) {
      const known = [PACKAGE, CHANNELS, DEFAULT_CHANNEL];
      if (known.every((key) => ["undefined", "string"].includes(typeof found[key])) && known.some((key) => (found[key] ?? "") !== "")) {
        annotations = found;
      }
    }
    if (dependencies.length === 0) dependencies = readProperties(value["dependencies"]);
    if (properties.length === 0) properties = readProperties(value["properties"]);
  }
  return { annotations, dependencies, properties };
}

function readProperties(value: Json | undefined): readonly JsonProperty[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).map((item) => {
    const { type, value: field } = isObject(item) ? item : {};
    return { type: readText(type), value: field ?? null };
  });
}

function readCsvProperties(csv: JsonObject): readonly JsonProperty[] {
  const annotations = metadataOf(csv)["annotations"];
  const text = isObject(annotations) ? annotations[PROPERTIES_ANNOTATION] : undefined;
  if (typeof text !== "string") return [];
  try {
    return readProperties(JSON.parse(text) as Json);
  } catch {
    return [];
  }
}

function versionOf(properties: readonly JsonProperty[]): string {
  const found = properties.find(({ type }) => type === "olm.package")?.value;
  return isObject(found) ? readText(found["version"]) : "";
}

interface Collected {
  readonly objects: readonly JsonObject[];
  readonly all: readonly JsonProperty[];
  readonly dependencies: readonly JsonProperty[];
  readonly provided: ReadonlyMap<string, ApiKey>;
  readonly spec: JsonObject;
  readonly fallback: { readonly packageName: string; readonly version: string; readonly release: string };
}

function collectProperties({ objects, all, dependencies, provided, spec, fallback }: Collected): readonly JsonProperty[] {
  const gvks = new Map<string, JsonProperty>();
  const addGvk = (type: string, value: Json | ApiKey) => {
    const { group, kind, version } = value as unknown as Partial<ApiKey>;
    const fields = { group: group ?? "", kind: kind ?? "", version: version ?? "" };
    gvks.set(`${type} ${JSON.stringify(fields)}`, { type, value: fields });
  };
  let packageProperty = fallback;
  const others: JsonProperty[] = [];
  const known = new Set<string>();
  for (const property of all) {
    const text = `${property.type} ${JSON.stringify(property.value)}`;
    if (known.has(text)) continue;
    known.add(text);
    if (property.type === "olm.gvk") addGvk("olm.gvk", property.value);
    else if (property.type === "olm.package") {
      const value = (isObject(property.value) ? property.value : {}) as JsonObject;
      packageProperty = {
        packageName: readText(value["packageName"]),
        version: readText(value["version"]),
        release: readText(value["release"]),
      };
    } else others.push(property);
  }
  const required: JsonProperty[] = [];
  for (const { type, value } of dependencies) {
    if (type === "olm.gvk") addGvk("olm.gvk.required", value);
    else if (type === "olm.package") {
      const { packageName, version } = (isObject(value) ? value : {}) as JsonObject;
      required.push({ type: "olm.package.required", value: { packageName: readText(packageName), versionRange: readText(version) } });
    } else others.push({ type, value });
  }
  for (const key of provided.values()) addGvk("olm.gvk", key);
  for (const key of listRequiredApis(spec)) addGvk("olm.gvk.required", key);
  const { packageName, version, release } = packageProperty;
  const sorted: JsonProperty[] = [
    { type: "olm.package", value: { packageName, version, ...(release === "" ? {} : { release }) } },
    ...gvks.values(),
    ...required,
    ...others,
  ];
  sortProperties(sorted);
  const manifests = objects.map((object): JsonProperty => ({ type: "olm.bundle.object", value: { data: encodeObject(object) } }));
  // Manifests, and metadata of the CSV, come last.
  const isLast = ({ type }: JsonProperty) => type === "olm.bundle.object" || type === "olm.csv.metadata";
  return [...sorted.filter((each) => !isLast(each)), ...sortProperties([...sorted.filter(isLast), ...manifests])];
}

const encodeObject = (object: JsonObject) => Buffer.from(encodeGoJson(object)).toString("base64");

/** Sorts in place, by type and then by the bytes of the value. */
function sortProperties(properties: JsonProperty[]): readonly JsonProperty[] {
  const keys = new Map<JsonProperty, Buffer>();
  const keyOf = (property: JsonProperty) => {
    const known = keys.get(property);
    if (known !== undefined) return known;
    const key = Buffer.from(JSON.stringify(property.value));
    keys.set(property, key);
    return key;
  };
  return properties.sort((a, b) => {
    if (a.type !== b.type) return Buffer.compare(Buffer.from(a.type), Buffer.from(b.type));
    const [left, right] = [manifestOf(a), manifestOf(b)];
    // Base64 has one byte for each character.
    if (left !== undefined && right !== undefined) return left === right ? 0 : left < right ? -1 : 1;
    return Buffer.compare(keyOf(a), keyOf(b));
  });
}

/** The base64 of a manifest that was encoded here. */
function manifestOf({ type, value }: JsonProperty): string | undefined {
  const data = type === "olm.bundle.object" && isObject(value) && Object.keys(value).length === 1 ? value["data"] : undefined;
  return typeof data === "string" && /^[\w+/=]*$/.test(data) ? data : undefined;
}

function* listDefinedApis(objects: readonly JsonObject[]): Generator<ApiKey> {
  for (const object of objects) {
    if (object["kind"] !== "CustomResourceDefinition") continue;
    const apiVersion = readText(object["apiVersion"]).split("/")[1];
    const spec = object["spec"];
    if (!isObject(spec) || (apiVersion !== "v1" && apiVersion !== "v1beta1")) continue;
    const names = (isObject(spec["names"]) ? spec["names"] : {}) as JsonObject;
    const key = { group: readText(spec["group"]), kind: readText(names["kind"]), plural: readText(names["plural"]) };
    const versions = Array.isArray(spec["versions"]) ? (spec["versions"] as readonly Json[]) : [];
    for (const version of versions) if (isObject(version)) yield { ...key, version: readText(version["name"]) };
    if (apiVersion === "v1beta1" && readText(spec["version"]) !== "") yield { ...key, version: readText(spec["version"]) };
  }
}

function listDefinitions(spec: JsonObject, field: string, list: string): readonly JsonObject[] {
  const definitions = spec[field];
  const found = isObject(definitions) ? definitions[list] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]).filter(isObject) : [];
}

function* listApiServices(spec: JsonObject, list: string): Generator<ApiKey> {
  for (const { group, version, kind, name } of listDefinitions(spec, "apiservicedefinitions", list)) {
    yield { group: readText(group), version: readText(version), kind: readText(kind), plural: readText(name) };
  }
}

function* listRequiredApis(spec: JsonObject): Generator<ApiKey> {
  for (const definition of listDefinitions(spec, "customresourcedefinitions", "required")) yield toKey(definition);
  yield* listApiServices(spec, "required");
}

function toKey({ name, version, kind }: JsonObject): ApiKey {
  const [plural = "", ...group] = readText(name).split(".");
  if (group.length === 0) throw unreadable(`couldn't parse plural.group from crd name: ${readText(name)}`);
  return { group: group.join("."), version: readText(version), kind: readText(kind), plural };
}

const formatKey = ({ group, version, kind, plural }: ApiKey) => `${group}/${version}/${kind} (${plural})`;

function checkOwned(spec: JsonObject, provided: ReadonlyMap<string, ApiKey>, name: string): void {
  for (const definition of listDefinitions(spec, "customresourcedefinitions", "owned")) {
    try {
      const key = formatKey(toKey(definition));
      if (provided.has(key)) continue;
      const found = [...provided.keys()].sort().map((each) => `${each}:{}`);
      throw unreadable(`couldn't find ${key} in bundle. found: map[${found.join(" ")}]`);
    } catch (error) {
      throw unreadable(`error checking provided apis in bundle ${name}: ${(error as Error).message}`);
    }
  }
}

/** The images that the CSV names, the bundle's own, and those of the operator's pods, by reference. */
function listRelatedImages(spec: JsonObject, image: string): readonly { readonly name: string; readonly image: string }[] {
  const related = spec["relatedImages"];
  const named = (Array.isArray(related) ? (related as readonly Json[]) : [])
    .filter(isObject)
    .map((each) => ({ name: readText(each["name"]), image: readText(each["image"]) }));
  const known = new Set(named.map((each) => each.image));
  const others = [...(image === "" || known.has(image) ? [] : [image]), ...listOperatorImages(spec).filter((each) => !known.has(each))];
  const all = [...named, ...[...new Set(others)].map((each) => ({ name: "", image: each }))];
  return all.sort((a, b) => Buffer.compare(Buffer.from(a.image), Buffer.from(b.image)));
}

function listOperatorImages(spec: JsonObject): readonly string[] {
  const install = spec["install"];
  if (!isObject(install) || install["strategy"] !== "deployment") return [];
  const deployments = isObject(install["spec"]) ? install["spec"]["deployments"] : undefined;
  return (Array.isArray(deployments) ? (deployments as readonly Json[]) : []).flatMap((deployment) => {
    const pod = readPath(deployment, ["spec", "template", "spec"]);
    const containers = ["containers", "initContainers"].flatMap((field) => {
      const list = isObject(pod) ? pod[field] : undefined;
      return Array.isArray(list) ? (list as readonly Json[]) : [];
    });
    return containers.filter(isObject).map((container) => readText(container["image"]));
  });
}

function readPath(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, field) => (isObject(at) ? at[field] : undefined), value);
}

function readRelease(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return formatGoNumber(value);
  throw unreadable("release field must be a string or number");
}

const metadataOf = (object: JsonObject): JsonObject => (isObject(object["metadata"]) ? object["metadata"] : {});
const readText = (value: unknown): string => (typeof value === "string" ? value : "");

function isObject(value: unknown): value is JsonObject {
  return value !== undefined && isJsonObject(value as Json);
}

function unreadable(message: string): PintleError {
  return new PintleError("PINTLE8015", message);
}
