import { type LabelRequirement, LabelSelectorSyntaxError, matchesRequirements, parseLabelSelector } from "pintle/internal/selectors";
import { parseShortInteger } from "pintle/internal/text";
import type { JsonObject } from "pintle/kinds";
import {
  badRequest,
  type FieldError,
  fieldError,
  formatFieldError,
  invalid,
  validateLabelValue,
  validateQualifiedName,
} from "../../status/index.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { getQueryParameter, type QueryParameters } from "../request/api-request.ts";
import { createFieldMatcher, type FieldSelector, parseFieldSelector } from "./field-selector.ts";
import { parseBooleanParameter, parseIntegerParameter } from "./query-parameters.ts";
import { parseShardSelector, type ShardSelector } from "./shard-selector.ts";

export interface ListOptions {
  readonly labels: readonly LabelRequirement[];
  readonly fields: FieldSelector;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined: all objects. */
  readonly shards: ShardSelector | undefined;
}

/** Features that change how the options of a list are read. */
export interface ListFeatures {
  /** Whether `shardSelector` has an effect; otherwise it is ignored, as by kube-apiserver without the feature gate ShardedListAndWatch. */
  readonly shardedListAndWatch: boolean;
}

export function parseListOptions(query: QueryParameters, watch: boolean, { shardedListAndWatch }: ListFeatures): ListOptions {
  const match = getQueryParameter(query, "resourceVersionMatch");
  const options = {
    labels: parseLabelSelectorParameter(getQueryParameter(query, "labelSelector")),
    fields: parseFieldSelector(getQueryParameter(query, "fieldSelector")),
    limit: parseIntegerParameter(query, "limit") ?? 0,
    continueToken: getQueryParameter(query, "continue"),
    resourceVersion: getQueryParameter(query, "resourceVersion"),
    match: match as ListOptions["match"],
    timeoutSeconds: parseIntegerParameter(query, "timeoutSeconds"),
    allowBookmarks: parseBooleanParameter(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: parseBooleanParameter(query, "sendInitialEvents"),
    shards: undefined,
  };
  const errors = watch ? validateWatchOptions(options) : validateListOptions(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", resource: "ListOptions" }, "", errors);
  const shards = shardedListAndWatch ? getQueryParameter(query, "shardSelector") : "";
  return shards === "" ? options : { ...options, shards: parseShardSelector(shards) };
}

const MATCH = "resourceVersionMatch";

function validateListOptions({ match, resourceVersion, continueToken, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(fieldError.forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (continueToken !== "") errors.push(fieldError.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(fieldError.notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(fieldError.forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) errors.push(fieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function validateWatchOptions({ match, continueToken, resourceVersion, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const fromNow = match === "" && sendInitialEvents === undefined && (resourceVersion === "" || resourceVersion === "0");
  // kube-apiserver treats this as a watch with initial events, which allows no continue token.
  if (fromNow && continueToken !== "") {
    errors.push(fieldError.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(fieldError.forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      errors.push(fieldError.forbidden(MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match !== "NotOlderThan") errors.push(fieldError.notSupported(MATCH, match, ["NotOlderThan"]));
    if (continueToken !== "") errors.push(fieldError.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}

/** Combines all selectors into one predicate; undefined when none is given. */
export function buildSelection(
  { labels, fields, shards }: Pick<ListOptions, "labels" | "fields"> & Partial<Pick<ListOptions, "shards">>,
  resource: Pick<ServedResource, "strategy">,
): Selection | undefined {
  const fieldsMatch = createFieldMatcher(fields, resource);
  if (labels.length === 0 && fields.length === 0 && shards === undefined) return undefined;
  return {
    matches: (object) =>
      fieldsMatch(object) &&
      matchesRequirements(labels, getMetadata(object).labels ?? {}) &&
      (shards === undefined || shards.matches(getMetadata(object))),
    metadataOnly: fields.every(({ field }) => field.startsWith("metadata.")),
  };
}

export interface Selection {
  matches(object: JsonObject): boolean;
  /** Whether the predicate reads metadata only. */
  readonly metadataOnly: boolean;
}

/** Parses the resource version of a request; 0 for none. Throws 400. */
export function parseResourceVersion(text: string): number {
  if (text === "") return 0;
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version: ${formatInvalidResourceVersion(text)}`);
  const revision = parseShortInteger(text);
  if (revision === undefined || revision > MAX_REVISION)
    throw badRequest(`invalid resource version: ${formatInvalidResourceVersion(text, "value out of range")}`);
  return Number(revision);
}

const MAX_REVISION = 2n ** 64n - 1n;

/** Formats the error for a resource version that is not a number. */
export function formatInvalidResourceVersion(text: string, why = "invalid syntax"): string {
  return formatFieldError(fieldError.invalid("resourceVersion", text, `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`));
}

const VALIDATORS = { key: (key: string) => validateQualifiedName(key)[0], value: (value: string) => validateLabelValue(value)[0] };

/** Parses the query parameter `labelSelector`; requirements are sorted by key. Throws a 400 with the message of kube-apiserver. */
export function parseLabelSelectorParameter(text: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(text, VALIDATORS).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  } catch (error) {
    throw error instanceof LabelSelectorSyntaxError ? badRequest(error.message) : error;
  }
}
