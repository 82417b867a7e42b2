import { createHash } from "node:crypto";
import type { JsonObject } from "pintle/kinds";
import {
  type Column,
  type CrdVersion,
  type CustomResourceDefinition,
  compileSchema,
  printerColumns,
  type ScalePaths,
  selectableField,
} from "../../schema/index.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { validateMetadataUpdate } from "../metadata/validate.ts";
import { humanDuration } from "../present/human-duration.ts";
import {
  apiVersionOf,
  type Conversion,
  type ServedResource,
  type Strategy,
  type Subresource,
  type TablePrinter,
  type Verb,
} from "../resource.ts";
import { compareVersions } from "../version-order.ts";
import { type ConversionContext, conversionOf, webhookConverter } from "./conversion.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { acceptedNames } from "./names.ts";

const VERBS: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** The resources a CRD makes: one for each version it serves. */
export function servedVersions(crd: JsonObject, context: ConversionContext): readonly ServedResource[] {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { versions = [] } = spec;
  const storage = versions.find((version) => version.storage)?.name ?? "";
  const schemas = new Map(versions.map((version) => [version.name, lazySchema(version)]));
  const defaulted = (object: JsonObject) =>
    schemas
      .get(String(object["apiVersion"]).split("/")[1] ?? "")?.()
      .default(object) ?? object;
  const converter = spec.conversion?.strategy === "Webhook" ? webhookConverter(crd, context) : undefined;
  const conversion = (apiVersion: string, stored: string) => converter && conversionOf(converter, defaulted, apiVersion, stored);
  return versions.filter((version) => version.served).map((version) => servedVersion(crd, version, { storage, schemas, conversion }));
}

type Schema = ServedResource["schema"];

/** What all versions of a CRD share. */
interface Family {
  /** The version that is stored. */
  readonly storage: string;
  readonly schemas: ReadonlyMap<string, () => Schema>;
  conversion(apiVersion: string, storedVersion: string): Conversion | undefined;
}

/** Only versions that are served, or that something is stored in, need theirs. */
function lazySchema({ schema, subresources }: CrdVersion): () => Schema {
  let compiled: Schema | undefined;
  return () => {
    compiled ??= compileSchema(schema?.openAPIV3Schema ?? {}, { scale: subresources?.scale as ScalePaths | undefined });
    return compiled;
  };
}

function servedVersion(crd: JsonObject, version: CrdVersion, { storage: storageVersion, schemas, conversion }: Family): ServedResource {
  const { spec } = crd as unknown as CustomResourceDefinition;
  const { group = "" } = spec;
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = acceptedNames(crd);
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
      prefix: `/registry/${group}/${plural}`,
      version: storageVersion,
      conversion: conversion(apiVersionOf(identity), apiVersionOf({ group, version: storageVersion })),
    },
    storageVersionHash: storageVersionHash(group, storageVersion, kind),
    schema: (schemas.get(version.name) as () => Schema)(),
    strategy: strategyOf(version),
    subresources: subresourcesOf(version, scale),
    table: tableOf(version),
    deprecationWarning: deprecation(version, spec.versions ?? [], group, kind),
  };
}

/** The first eight bytes of a hash over what an object is stored as. */
function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}

function strategyOf({ subresources, selectableFields = [] }: CrdVersion): Strategy {
  return {
    generation: "all",
    unconditionalUpdate: false,
    createOnUpdate: false,
    resetFields: subresources?.status === undefined ? undefined : [["status"]],
    // A second time, after what every kind is checked for: so does the real server, and its answers show it.
    validateUpdate: validateMetadataUpdate,
    warningsOnCreate: (object) => finalizerWarnings(object),
    warningsOnUpdate: finalizerWarnings,
    selectableFields: Object.fromEntries(selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), selectableField(jsonPath)])),
  };
}

function subresourcesOf({ subresources }: CrdVersion, scale: ScalePaths | undefined): readonly Subresource[] {
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
      specReplicas: fieldsOf(scale.specReplicasPath),
      statusReplicas: fieldsOf(scale.statusReplicasPath),
      selector: scale.labelSelectorPath === undefined ? undefined : fieldsOf(scale.labelSelectorPath),
    });
  }
  return found;
}

const fieldsOf = (path: string) => path.replace(/^\./, "").split(".");

function tableOf({ additionalPrinterColumns }: CrdVersion): TablePrinter {
  const columns = printerColumns(additionalPrinterColumns);
  const name = { name: "Name", type: "string", format: "name", description: "Name of the object", priority: 0 } as const;
  return {
    columns: [name, ...columns.map(({ cell: _, ...column }) => column)],
    cells: (object, now) => [metadataOf(object).name ?? "", ...columns.map((column) => shown(column, object, now))],
  };
}

/** Dates are shown as how long ago they were. */
function shown(column: Column, object: JsonObject, now: number) {
  const value = column.cell(object);
  if (column.type !== "date" || typeof value !== "string") return value;
  const at = Date.parse(value);
  return Number.isNaN(at) ? value : humanDuration(now - at);
}

/** What users of a deprecated version are told: which one to use instead, if there is a better one. */
function deprecation(of: CrdVersion, versions: readonly CrdVersion[], group: string, kind: string): string | undefined {
  if (!of.deprecated) return undefined;
  if (of.deprecationWarning !== undefined) return of.deprecationWarning;
  const better = versions.filter((each) => each.served && !each.deprecated && compareVersions(each.name, of.name) < 0);
  const best = better.map((each) => each.name).sort(compareVersions)[0];
  return `${group}/${of.name} ${kind} is deprecated${best === undefined ? "" : `; use ${group}/${best} ${kind}`}`;
}
