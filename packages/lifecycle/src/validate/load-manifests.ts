import { gzipSync } from "node:zlib";
import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type JsonObject } from "pintle/internal/json";
import type { BundleFiles, ClusterServiceVersion, NamedObject } from "../bundle/index.ts";
import { foldFieldNames, fromUnstructured } from "../go-types/index.ts";
import { parseTolerantVersion } from "../versions/index.ts";
import { parseYamlDocuments } from "../yaml/index.ts";

/** A bundle as the validators read it. */
export interface LoadedBundle {
  /** The name of the ClusterServiceVersion. */
  readonly name: string;
  readonly packageName: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly csv: Csv;
  /** CRDs of apiextensions.k8s.io/v1. */
  readonly crds: readonly NamedObject[];
  /** CRDs of apiextensions.k8s.io/v1beta1. */
  readonly oldCrds: readonly NamedObject[];
  /** All objects, with the ClusterServiceVersion and the CRDs. */
  readonly objects: readonly NamedObject[];
  /** Bytes of all files. */
  readonly size: number;
  /** Bytes of all files, each compressed and encoded as OLM stores it. */
  readonly compressedSize: number;
}

/** The fields of a ClusterServiceVersion that are checked. */
export type Csv = Omit<ClusterServiceVersion, "spec"> & {
  readonly spec?: Omit<NonNullable<ClusterServiceVersion["spec"]>, "customresourcedefinitions"> & {
    readonly release?: string;
    readonly replaces?: string;
    readonly minKubeVersion?: string;
    readonly provider?: { readonly name?: string };
    readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
    readonly links?: readonly { readonly name?: string; readonly url?: string }[];
    readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
    readonly relatedImages?: readonly { readonly image?: string }[];
    readonly apiservicedefinitions?: {
      readonly owned?: readonly { readonly group?: string; readonly version?: string; readonly kind?: string }[];
    };
    readonly customresourcedefinitions?: {
      readonly owned?: readonly CrdDescription[];
      readonly required?: readonly CrdDescription[];
    };
  };
};

/** A CRD in a ClusterServiceVersion. */
export interface CrdDescription {
  readonly name?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly description?: string;
  readonly resources?: readonly { readonly version?: string; readonly kind?: string }[];
  readonly specDescriptors?: readonly { readonly path?: string }[];
  readonly statusDescriptors?: readonly { readonly path?: string }[];
}

const CSV_KIND = "ClusterServiceVersion";
const CSV_TYPE = "operators/v1alpha1.ClusterServiceVersion";
const CRD_KIND = "CustomResourceDefinition";
const CRD_TYPE = "apiextensions/v1.CustomResourceDefinition";
const PREFIX = "operators.operatorframework.io.bundle";
const TEXTS = [`${PREFIX}.package.v1`, `${PREFIX}.channels.v1`, `${PREFIX}.channel.default.v1`];

/** Reads the manifests of a bundle as operator-sdk does. Returns why they cannot be read instead, one text per problem. */
export function loadBundleManifests(files: BundleFiles): LoadedBundle | { readonly problems: readonly string[] } {
  const paths = [...files.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const visible = paths.filter((path) => !path.split("/").some((part) => part.startsWith(".")));
  const holder = visible.findLast((path) => readFirst(files.get(path)!)?.kind === CSV_KIND);
  if (holder === undefined) return { problems: ["unable to find a csv in bundle directory"] };
  const folder = holder.slice(0, holder.lastIndexOf("/") + 1);
  const loaded = readFolder(files, folder, paths);
  if ("problems" in loaded) return loaded;
  const annotations = readAnnotations(files, visible);
  if ("problem" in annotations) return { problems: [annotations.problem as string] };
  return {
    ...loaded,
    name: readFirst(files.get(holder)!)?.metadata?.name ?? "",
    packageName: annotations[`${PREFIX}.package.v1`] ?? "",
    channels: (annotations[`${PREFIX}.channels.v1`] ?? "").split(","),
    defaultChannel: annotations[`${PREFIX}.channel.default.v1`] ?? "",
    size: sum(paths.map((path) => files.get(path)!.length)),
    compressedSize: sum(paths.map((path) => gzipSync(files.get(path)!, { level: 9 }).toString("base64").length)),
  };
}

type Manifests = Pick<LoadedBundle, "csv" | "crds" | "oldCrds" | "objects">;

function readFolder(files: BundleFiles, folder: string, paths: readonly string[]): Manifests | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const [objects, crds, oldCrds]: NamedObject[][] = [[], [], []];
  let csv: Csv | undefined;
  const folders = new Set<string>();
  for (const path of paths.filter((each) => each.startsWith(folder))) {
    const [name, ...inside] = path.slice(folder.length).split("/") as [string, ...string[]];
    if (inside.length > 0) {
      if (!folders.has(name)) problems.push(`bundle manifests dir contains directory: ${folder}${name}`);
      folders.add(name);
      continue;
    }
    if (name.startsWith(".")) {
      problems.push(`bundle manifests dir has hidden file: ${path}`);
      continue;
    }
    const object = decodeObject(files.get(path)!);
    if (typeof object === "string") {
      problems.push(`unable to decode object: ${object}`);
      continue;
    }
    objects!.push(object);
    try {
      if (object.kind === CSV_KIND) {
        if (csv !== undefined) return { problems: ["invalid bundle: contains multiple CSVs"] };
        const version = (object["spec"] as JsonObject | null | undefined)?.["version"];
        // Go decodes null as the empty text, which is no version; a missing version is 0.0.0.
        if (typeof version === "string" || version === null) parseTolerantVersion(version ?? "");
        csv = fromUnstructured(foldFieldNames(object, CSV_TYPE, "yaml"), CSV_TYPE) as Csv;
      } else if (object.kind === CRD_KIND) {
        const version = object["apiVersion"];
        if (version === "apiextensions.k8s.io/v1") {
          crds!.push(fromUnstructured(foldFieldNames(object, CRD_TYPE, "yaml"), CRD_TYPE) as NamedObject);
        } else if (version === "apiextensions.k8s.io/v1beta1") oldCrds!.push(object);
        else return { problems: [`unsupported CRD version ${String(version)} for ${name}`] };
      }
    } catch (error) {
      return { problems: [`unable to parse ${object.kind === CSV_KIND ? "CSV" : "CRD"} ${name}: ${(error as Error).message}`] };
    }
  }
  if (problems.length > 0) return { problems: problems.map((problem) => `error loading objs in directory: ${problem}`) };
  return csv === undefined ? { problems: ["no bundle csv found"] } : { csv, crds: crds!, oldCrds: oldCrds!, objects: objects! };
}

function decodeObject(bytes: Buffer): NamedObject | string {
  let first: unknown;
  try {
    [first] = parseYamlDocuments(bytes.toString("utf8"));
  } catch (error) {
    return `error converting YAML to JSON: yaml: ${(error as Error).message}`;
  }
  // A document that is null is an object without fields, which no kind is.
  if (first === undefined) return bytes.length === 0 ? "EOF" : ({} as NamedObject);
  if (!isJsonObject(first as JsonObject)) return "json: cannot unmarshal into Go value of type map[string]interface {}";
  const object = first as NamedObject;
  if (typeof object.kind === "string" && object.kind !== "") return object;
  return `Object 'Kind' is missing in ${quoteGoString(JSON.stringify(object))}`;
}

function readFirst(bytes: Buffer): NamedObject | undefined {
  const object = decodeObject(bytes);
  return typeof object === "string" ? undefined : object;
}

/** The annotations of the last annotations.yaml; none without such a file. */
function readAnnotations(files: BundleFiles, paths: readonly string[]): Readonly<Record<string, string>> | { readonly problem: string } {
  const path = paths.findLast((each) => each.slice(each.lastIndexOf("/") + 1).startsWith("annotations"));
  if (path === undefined) return {};
  const problem = (why: string) => ({ problem: `unable to load the annotations file ${path}: ${why}` });
  let parsed: unknown;
  try {
    [parsed] = parseYamlDocuments(files.get(path)!.toString("utf8"));
  } catch (error) {
    return problem((error as Error).message);
  }
  if (parsed === undefined) return {};
  if (!isMap(parsed)) return problem("it is no map");
  const { annotations = {} } = parsed;
  if (annotations !== null && !isMap(annotations)) return problem("annotations: is no map");
  const broken = TEXTS.find((name) => typeof annotations?.[name] === "object" && annotations[name] !== null);
  return broken === undefined ? (readAnnotationsFile(files.get(path)!) ?? {}) : problem(`annotations: ${broken} is no text`);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The annotations of an annotations.yaml; undefined if the file has none. */
export function readAnnotationsFile(bytes: Buffer): Readonly<Record<string, string>> | undefined {
  try {
    const [first] = parseYamlDocuments(bytes.toString("utf8")) as [{ readonly annotations?: unknown } | undefined];
    const annotations = first?.annotations;
    if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) return undefined;
    return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, value === null ? "" : String(value)]));
  } catch {
    return undefined;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
