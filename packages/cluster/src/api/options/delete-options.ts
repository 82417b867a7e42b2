import { extended, isObject, type Json, type JsonObject } from "pintle/kinds";
import { jsonKind } from "../../schema/index.ts";
import { badRequest, type FieldError, fieldError, invalid } from "../../status/index.ts";
import type { Query } from "../request.ts";
import { notRegistered, TYPE_META } from "../type-meta.ts";
import { boolean, integer } from "./parameters.ts";
import { dryRunErrors } from "./write-options.ts";

export type Propagation = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  /** The deprecated twin of `propagation`. */
  readonly orphanDependents: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** As admission sees them. */
  readonly sent: JsonObject;
}

const POLICIES = ["Foreground", "Background", "Orphan"];

/** From the body if there is one, else from the query. */
export function deleteOptions(query: Query, body: unknown): DeleteOptions {
  const given = body === undefined ? fromQuery(query) : checked(body);
  const preconditions = isObject(given["preconditions"]) ? given["preconditions"] : {};
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
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", resource: "DeleteOptions" }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: (given["gracePeriodSeconds"] ?? undefined) as number | undefined,
    propagation: propagation as Propagation | undefined,
    orphanDependents: orphanDependents as boolean | undefined,
    uid: (preconditions["uid"] ?? undefined) as string | undefined,
    resourceVersion: (preconditions["resourceVersion"] ?? undefined) as string | undefined,
    sent: extended(given, { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" }),
  };
}

function fromQuery(query: Query): JsonObject {
  return {
    dryRun: query.get("dryRun"),
    gracePeriodSeconds: integer(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy")?.[0],
    orphanDependents: boolean(query, "orphanDependents"),
  };
}

function checked(body: unknown): JsonObject {
  if (!isObject(body)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(body as Json)} into Go value of type ${TYPE_META}`,
    );
  }
  const { kind, apiVersion, dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy } = body;
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(notRegistered(String(apiVersion ?? ""), String(kind)));
  }
  const wrong = (field: string, value: unknown, go: string) =>
    badRequest(`json: cannot unmarshal ${typeof value} into Go struct field DeleteOptions.${field} of type ${go}`);
  const { uid, resourceVersion } = isObject(body["preconditions"]) ? body["preconditions"] : {};
  const present = (value: unknown) => value !== undefined && value !== null;
  if (present(gracePeriodSeconds) && !Number.isSafeInteger(gracePeriodSeconds))
    throw wrong("gracePeriodSeconds", gracePeriodSeconds, "int64");
  if (present(orphanDependents) && typeof orphanDependents !== "boolean") throw wrong("orphanDependents", orphanDependents, "bool");
  if (present(propagationPolicy) && typeof propagationPolicy !== "string") {
    throw wrong("propagationPolicy", propagationPolicy, "v1.DeletionPropagation");
  }
  const precondition = (field: string, value: unknown, go: string) =>
    badRequest(`json: cannot unmarshal ${typeof value} into Go struct field Preconditions.preconditions.${field} of type ${go}`);
  if (present(uid) && typeof uid !== "string") throw precondition("uid", uid, "types.UID");
  if (present(resourceVersion) && typeof resourceVersion !== "string") throw precondition("resourceVersion", resourceVersion, "string");
  if (present(dryRun) && !(Array.isArray(dryRun) && dryRun.every((value) => typeof value === "string"))) {
    throw wrong("dryRun", dryRun, "[]string");
  }
  return body;
}
