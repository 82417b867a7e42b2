import { extendObject, isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { getJsonTypeName } from "../../schema/decode/index.ts";
import { badRequest, type FieldError, fieldError, invalid } from "../../status/index.ts";
import { formatNotRegistered, GO_TYPE_META } from "../decode/type-meta.ts";
import type { QueryParameters } from "../request/api-request.ts";
import { parseBooleanParameter, parseIntegerParameter } from "./query-parameters.ts";
import { validateDryRun } from "./write-options.ts";

export type PropagationPolicy = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  /** The deprecated form of `propagationPolicy`. */
  readonly orphanDependents: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** The options as admission sees them. */
  readonly requestedOptions: JsonObject;
}

const POLICIES = ["Foreground", "Background", "Orphan"];

/** Parses the options of a delete from the body, or from the query if there is none. */
export function parseDeleteOptions(query: QueryParameters, body: unknown): DeleteOptions {
  const given = body === undefined ? readQueryOptions(query) : checkBodyOptions(body);
  const preconditions = isJsonObject(given["preconditions"]) ? given["preconditions"] : {};
  const propagation = given["propagationPolicy"] ?? undefined;
  const orphanDependents = given["orphanDependents"] ?? undefined;
  const dryRun = (given["dryRun"] ?? []) as readonly string[];
  const errors: FieldError[] = [];
  if (propagation !== undefined && orphanDependents !== undefined) {
    errors.push(fieldError.invalid("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (propagation !== undefined && !POLICIES.includes(propagation as string)) {
    errors.push(fieldError.notSupported("propagationPolicy", propagation, [...POLICIES, "nil"]));
  }
  errors.push(...validateDryRun(dryRun));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", resource: "DeleteOptions" }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: (given["gracePeriodSeconds"] ?? undefined) as number | undefined,
    propagationPolicy: propagation as PropagationPolicy | undefined,
    orphanDependents: orphanDependents as boolean | undefined,
    uid: (preconditions["uid"] ?? undefined) as string | undefined,
    resourceVersion: (preconditions["resourceVersion"] ?? undefined) as string | undefined,
    requestedOptions: extendObject(given, { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" }),
  };
}

function readQueryOptions(query: QueryParameters): JsonObject {
  return {
    dryRun: query.get("dryRun"),
    gracePeriodSeconds: parseIntegerParameter(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy")?.[0],
    orphanDependents: parseBooleanParameter(query, "orphanDependents"),
  };
}

function checkBodyOptions(body: unknown): JsonObject {
  if (!isJsonObject(body)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${getJsonTypeName(body as Json)} into Go value of type ${GO_TYPE_META}`,
    );
  }
  const { kind, apiVersion, dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy } = body;
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(formatNotRegistered(String(apiVersion ?? ""), String(kind)));
  }
  const createTypeError = (field: string, value: unknown, go: string) =>
    badRequest(`json: cannot unmarshal ${typeof value} into Go struct field DeleteOptions.${field} of type ${go}`);
  const { uid, resourceVersion } = isJsonObject(body["preconditions"]) ? body["preconditions"] : {};
  const isPresent = (value: unknown) => value !== undefined && value !== null;
  if (isPresent(gracePeriodSeconds) && !Number.isSafeInteger(gracePeriodSeconds))
    throw createTypeError("gracePeriodSeconds", gracePeriodSeconds, "int64");
  if (isPresent(orphanDependents) && typeof orphanDependents !== "boolean")
    throw createTypeError("orphanDependents", orphanDependents, "bool");
  if (isPresent(propagationPolicy) && typeof propagationPolicy !== "string") {
    throw createTypeError("propagationPolicy", propagationPolicy, "v1.DeletionPropagation");
  }
  const precondition = (field: string, value: unknown, go: string) =>
    badRequest(`json: cannot unmarshal ${typeof value} into Go struct field Preconditions.preconditions.${field} of type ${go}`);
  if (isPresent(uid) && typeof uid !== "string") throw precondition("uid", uid, "types.UID");
  if (isPresent(resourceVersion) && typeof resourceVersion !== "string") throw precondition("resourceVersion", resourceVersion, "string");
  if (isPresent(dryRun) && !(Array.isArray(dryRun) && dryRun.every((value) => typeof value === "string"))) {
    throw createTypeError("dryRun", dryRun, "[]string");
  }
  return body;
}
