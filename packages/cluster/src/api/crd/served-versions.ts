import { createHash } from "node:crypto";
import type { JsonObject } from "pintle/kinds";
import type { CrdVersion, CustomResourceDefinition } from "../../schema/crd/index.ts";
import { compileSchema, type ScalePaths } from "../../schema/index.ts";
import { compilePrinterColumns, compileSelectableField, type PrinterColumn } from "../../schema/printer-columns/index.ts";
import { validateQualifiedName } from "../../status/index.ts";
import { formatHumanDuration } from "../encoding/human-duration.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import { validateMetadataUpdate } from "../metadata/validate-metadata.ts";
import {
  type Conversion,
  formatApiVersion,
  type ResourceStrategy,
  type ServedResource,
  type Subresource,
  type TablePrinter,
  type Verb,
} from "../registry/served-resource.ts";
import { compareVersions } from "../registry/version-order.ts";
import { getAcceptedNames } from "./naming.ts";
import { type ConversionContext, createConversion, createWebhookConverter } from "./webhook-converter.ts";

const VERBS: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** Builds the resources of a CRD: one for each served version. */
export function buildServedVersions(crd: JsonObject, context: ConversionContext): readonly ServedResource[] {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { versions = [] } = spec;
  const storage = versions.find((version) => version.storage)?.name ?? "";
  const schemas = new Map(versions.map((version) => [version.name, createLazySchema(version)]));
  const applyDefaults = (object: JsonObject) =>
    schemas
      .get(String(object["apiVersion"]).split("/")[1] ?? "")?.()
      .default(object) ?? object;
  const converter = spec.conversion?.strategy === "Webhook" ? createWebhookConverter(crd, context) : undefined;
  const conversion = (apiVersion: string, stored: string) => converter && createConversion(converter, applyDefaults, apiVersion, stored);
  return versions.filter((version) => version.served).map((version) => buildServedVersion(crd, version, { storage, schemas, conversion }));
}

/** Returns the key prefix of the objects of a CRD, without trailing slash. */
export function getStoragePrefix(crd: JsonObject): string {
  const { spec } = crd as unknown as CustomResourceDefinition;
  return `/registry/${spec.group ?? ""}/${getAcceptedNames(crd).plural ?? ""}`;
}

type VersionSchema = ServedResource["schema"];

/** What all versions of a CRD share. */
interface VersionFamily {
  /** The storage version. */
  readonly storage: string;
  readonly schemas: ReadonlyMap<string, () => VersionSchema>;
  conversion(apiVersion: string, storedVersion: string): Conversion | undefined;
}

/** Compiles a schema on first use: only versions that are served or stored need one. */
function createLazySchema({ schema, subresources }: CrdVersion): () => VersionSchema {
  let compiled: VersionSchema | undefined;
  return () => {
    compiled ??= compileSchema(schema?.openAPIV3Schema ?? {}, { scale: subresources?.scale as ScalePaths | undefined });
    return compiled;
  };
}

function buildServedVersion(
  crd: JsonObject,
  version: CrdVersion,
  { storage: storageVersion, schemas, conversion }: VersionFamily,
): ServedResource {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { group = "" } = spec;
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = getAcceptedNames(crd);
  const scale = version.subresources?.scale as ScalePaths | undefined;
  const identity = { group, version: version.name };
  return {
    ...identity,
    kind,
    listKind,
    plural,
    singular,
    shortNames,
    categories,
    scope: spec.scope === "Namespaced" ? "Namespaced" : "Cluster",
    verbs: VERBS,
    typed: false,
    storage: {
      prefix: getStoragePrefix(crd),
      version: storageVersion,
      conversion: conversion(formatApiVersion(identity), formatApiVersion({ group, version: storageVersion })),
    },
    storageVersionHash: hashStorageVersion(group, storageVersion, kind),
    schema: (schemas.get(version.name) as () => VersionSchema)(),
    strategy: createStrategy(version),
    subresources: createSubresources(version, scale),
    table: createTablePrinter(version),
    deprecationWarning: getDeprecationWarning(version, spec.versions ?? [], group, kind),
  };
}

/** Hashes the storage version as kube-apiserver does: the first eight bytes. */
function hashStorageVersion(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}

function createStrategy({ subresources, selectableFields = [] }: CrdVersion): ResourceStrategy {
  return {
    generation: "all",
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    resetFields: subresources?.status === undefined ? undefined : [["status"]],
    // kube-apiserver validates this twice for custom resources, and reports errors twice.
    validateUpdate: validateMetadataUpdate,
    warningsOnCreate: (object) => getFinalizerWarnings(object),
    warningsOnUpdate: getFinalizerWarnings,
    selectableFields: Object.fromEntries(
      selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), compileSelectableField(jsonPath)]),
    ),
  };
}

function createSubresources({ subresources }: CrdVersion, scale: ScalePaths | undefined): readonly Subresource[] {
  const found: Subresource[] = [];
  if (subresources?.status !== undefined) {
    found.push({
      type: "part",
      name: "status",
      strategy: { resetFields: [["metadata"], ["spec"]], validateUpdate: validateMetadataUpdate },
    });
  }
  if (scale !== undefined) {
    found.push({
      type: "scale",
      name: "scale",
      specReplicas: splitFieldPath(scale.specReplicasPath),
      statusReplicas: splitFieldPath(scale.statusReplicasPath),
      selector: scale.labelSelectorPath === undefined ? undefined : splitFieldPath(scale.labelSelectorPath),
    });
  }
  return found;
}

const splitFieldPath = (path: string) => path.replace(/^\./, "").split(".");

function createTablePrinter({ additionalPrinterColumns }: CrdVersion): TablePrinter {
  const columns = compilePrinterColumns(additionalPrinterColumns);
  const name = { name: "Name", type: "string", format: "name", description: "Name of the object", priority: 0 } as const;
  return {
    columns: [name, ...columns.map(({ formatCell: _, ...column }) => column)],
    cells: (object, now) => [getMetadata(object).name ?? "", ...columns.map((column) => formatCell(column, object, now))],
  };
}

/** Formats a cell; dates as how long ago they were. */
function formatCell(column: PrinterColumn, object: JsonObject, now: number) {
  const value = column.formatCell(object);
  if (column.type !== "date" || typeof value !== "string") return value;
  const at = Date.parse(value);
  return Number.isNaN(at) ? value : formatHumanDuration(now - at);
}

/** Returns the Warning for users of a deprecated version, with the version to use instead. */
function getDeprecationWarning(of: CrdVersion, versions: readonly CrdVersion[], group: string, kind: string): string | undefined {
  if (!of.deprecated) return undefined;
  if (of.deprecationWarning !== undefined) return of.deprecationWarning;
  const better = versions.filter((each) => each.served && !each.deprecated && compareVersions(each.name, of.name) < 0);
  const best = better.map((each) => each.name).sort(compareVersions)[0];
  return `${group}/${of.name} ${kind} is deprecated${best === undefined ? "" : `; use ${group}/${best} ${kind}`}`;
}

const STANDARD = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const CONFLICT_REASON = "to avoid accidental conflicts with other finalizer writers";

/** Returns warnings about the names of added finalizers. */
function getFinalizerWarnings(next: JsonObject, live?: JsonObject): readonly string[] {
  const before = live === undefined ? [] : (getMetadata(live).finalizers ?? []);
  const added = (getMetadata(next).finalizers ?? []).filter((name) => !before.includes(name));
  return [...new Set(added)].sort().flatMap((name) => {
    const formatWarning = (text: string) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`;
    const warnings = validateQualifiedName(name).map(formatWarning);
    if (name.includes("/") || STANDARD.has(name)) return warnings;
    const advice = name.includes(".")
      ? "prefer a domain-qualified finalizer name including a path (/)"
      : "prefer a domain-qualified finalizer name";
    return [...warnings, formatWarning(`${advice} ${CONFLICT_REASON}`)];
  });
}
