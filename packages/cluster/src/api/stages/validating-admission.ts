import type { JsonObject } from "pintle/kinds";
import { type AdmissionRequest, runValidatingAdmission } from "../admission/admission-chain.ts";
import { buildAdmissionRequest } from "../admission/admission-request.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Runs the validating admission plugins on the object as it will be stored. Throws what a plugin throws.
 * Reads `object`, `live`, `subresourceView`, `admissionRequest`; writes nothing.
 */
export async function validatingAdmission(context: RequestContext): Promise<RequestContext> {
  await runValidatingAdmission(context.server.admissionChain, buildRequest(context));
  return context;
}

function buildRequest(context: RequestContext): AdmissionRequest {
  const { operation, object, live, subresourceView: view, admissionRequest } = context;
  if (operation === "delete") return admissionRequest as AdmissionRequest;
  if (operation === "action") return { ...(admissionRequest as AdmissionRequest), object };
  const { dryRun } = context.writeOptions;
  if (operation === "review") return { ...buildAdmissionRequest(context, "CREATE", dryRun), object };
  if (live === undefined) return { ...buildAdmissionRequest(context, "CREATE", dryRun), name: getMetadata(object).name ?? "", object };
  const { resourceVersion } = getMetadata(live);
  const versioned: JsonObject = getMetadata(object).resourceVersion === undefined ? withMetadata(object, { resourceVersion }) : object;
  const request = buildAdmissionRequest(context, "UPDATE", dryRun, view?.kind);
  return { ...request, object: view?.read(versioned) ?? versioned, live: view?.read(live) ?? live };
}
