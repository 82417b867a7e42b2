import type { JsonObject } from "pintle/kinds";
import { type AdmissionRequest, metadataOf } from "../../api/index.ts";
import { namespaceOf } from "../attributes.ts";
import { selects } from "../matching/label-selector.ts";
import type { ParamKind, ParamRef } from "./stored.ts";

/** A policy or binding that cannot be used as it is; its policy's failurePolicy decides. */
export class Misconfigured extends Error {
  override readonly name = "Misconfigured";
  readonly of: "policy" | "binding";
  constructor(of: "policy" | "binding", why: string) {
    super(`failed to configure ${of}: ${why}`);
    this.of = of;
  }
}

/** Throws Misconfigured for parameters of a kind that is not served. */
export function checkParamKind(request: AdmissionRequest, paramKind: ParamKind | undefined): void {
  if (paramKind === undefined || request.lookup.served(paramKind.apiVersion, paramKind.kind) !== undefined) return;
  const { apiVersion, kind } = paramKind;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  throw new Misconfigured("policy", `failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`);
}

/** The parameters a binding chooses: the policy is evaluated once with each. Undefined stands for none. Throws Misconfigured. */
export async function paramsFor(
  request: AdmissionRequest,
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
): Promise<readonly (JsonObject | undefined)[]> {
  if (paramKind === undefined || ref === undefined) return [undefined];
  const resource = request.lookup.served(paramKind.apiVersion, paramKind.kind);
  if (resource === undefined) return [];
  const namespace = resource.scope === "Namespaced" ? ref.namespace || namespaceOf(request) : "";
  if (resource.scope === "Namespaced" && namespace === "") {
    throw new Misconfigured("binding", "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  if (resource.scope === "Cluster" && ref.namespace) {
    throw new Misconfigured("binding", "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const all = await request.lookup.stored(resource, namespace);
  const { name, selector = {} } = ref;
  const found = all.filter((each) => (name ? metadataOf(each).name === name : selects(selector, metadataOf(each).labels ?? {})));
  if (found.length === 0 && ref.parameterNotFoundAction === "Deny") {
    throw new Misconfigured("binding", "no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}
