import { matchesLabelSelector } from "pintle/internal/selectors";
import type { JsonObject } from "pintle/kinds";
import { type AdmissionRequest, getMetadata } from "../../api/index.ts";
import { getRequestNamespace } from "../attributes.ts";
import type { ParamKind, ParamRef } from "./policy-spec.ts";

/** A policy or binding that is misconfigured; the policy's failurePolicy decides. */
export class PolicyConfigurationError extends Error {
  override readonly name = "Misconfigured";
  readonly of: "policy" | "binding";
  constructor(of: "policy" | "binding", reason: string) {
    super(`failed to configure ${of}: ${reason}`);
    this.of = of;
  }
}

/** Throws `PolicyConfigurationError` if the paramKind is not served. */
export function checkParamKind(request: AdmissionRequest, paramKind: ParamKind | undefined): void {
  if (paramKind === undefined || request.lookup.findResource(paramKind.apiVersion, paramKind.kind) !== undefined) return;
  const { apiVersion, kind } = paramKind;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  throw new PolicyConfigurationError("policy", `failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`);
}

/**
 * Returns the parameter objects of a binding; the policy is evaluated with each. Undefined stands for no parameters. Throws
 * `PolicyConfigurationError`.
 */
export async function resolveParams(
  request: AdmissionRequest,
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
): Promise<readonly (JsonObject | undefined)[]> {
  if (paramKind === undefined || ref === undefined) return [undefined];
  const resource = request.lookup.findResource(paramKind.apiVersion, paramKind.kind);
  if (resource === undefined) return [];
  const namespace = resource.scope === "Namespaced" ? ref.namespace || getRequestNamespace(request) : "";
  if (resource.scope === "Namespaced" && namespace === "") {
    throw new PolicyConfigurationError("binding", "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  if (resource.scope === "Cluster" && ref.namespace) {
    throw new PolicyConfigurationError("binding", "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const all = await request.lookup.listStored(resource, namespace);
  const { name, selector = {} } = ref;
  const found = all.filter((each) =>
    name ? getMetadata(each).name === name : matchesLabelSelector(selector, getMetadata(each).labels ?? {}),
  );
  if (found.length === 0 && ref.parameterNotFoundAction === "Deny") {
    throw new PolicyConfigurationError("binding", "no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}
