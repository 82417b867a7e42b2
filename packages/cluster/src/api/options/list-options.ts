import type { JsonObject } from "pintle/kinds";
import { badRequest, type FieldError, fieldError, fieldErrorText, invalid } from "../../status/index.ts";
import { metadataOf } from "../metadata/metadata.ts";
import { param, type Query } from "../request.ts";
import type { ServedResource } from "../resource.ts";
import { type FieldSelector, fieldMatcher, parseFieldSelector } from "../selectors/field-selector.ts";
import { type LabelSelector, matchesLabels, parseLabelSelector } from "../selectors/label-selector.ts";
import { boolean, integer } from "./parameters.ts";

export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: Query, watch: boolean): ListOptions {
  const match = param(query, "resourceVersionMatch");
  const options = {
    labels: parseLabelSelector(param(query, "labelSelector")),
    fields: parseFieldSelector(param(query, "fieldSelector")),
    limit: integer(query, "limit") ?? 0,
    continueToken: param(query, "continue"),
    resourceVersion: param(query, "resourceVersion"),
    match: match as ListOptions["match"],
    timeoutSeconds: integer(query, "timeoutSeconds"),
    allowBookmarks: boolean(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: boolean(query, "sendInitialEvents"),
  };
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", resource: "ListOptions" }, "", errors);
  return options;
}

const MATCH = "resourceVersionMatch";

function listErrors({ match, resourceVersion, continueToken, sendInitialEvents }: ListOptions): FieldError[] {
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

function watchErrors({ match, continueToken, resourceVersion, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const fromNow = match === "" && sendInitialEvents === undefined && (resourceVersion === "" || resourceVersion === "0");
  // Which is taken as a wish for the state first, and that goes with no token.
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

/** Both selectors as one predicate; undefined when everything is asked for. */
export function selection(
  { labels, fields }: Pick<ListOptions, "labels" | "fields">,
  resource: Pick<ServedResource, "strategy">,
): Selection | undefined {
  const fieldsMatch = fieldMatcher(fields, resource);
  if (labels.length === 0 && fields.length === 0) return undefined;
  return {
    matches: (object) => fieldsMatch(object) && matchesLabels(labels, metadataOf(object).labels ?? {}),
    metadataOnly: fields.every(({ field }) => field.startsWith("metadata.")),
  };
}

export interface Selection {
  matches(object: JsonObject): boolean;
  /** Whether it looks at nothing but metadata. */
  readonly metadataOnly: boolean;
}

/** A resource version in a request; 0 for none. */
export function parseResourceVersion(text: string): number {
  if (text === "") return 0;
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version: ${unreadable(text)}`);
  if (BigInt(text) > MAX_REVISION) throw badRequest(`invalid resource version: ${unreadable(text, "value out of range")}`);
  return Number(text);
}

const MAX_REVISION = 2n ** 64n - 1n;

/** What is wrong with a resource version that is no number. */
export function unreadable(text: string, why = "invalid syntax"): string {
  return fieldErrorText(fieldError.invalid("resourceVersion", text, `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`));
}
