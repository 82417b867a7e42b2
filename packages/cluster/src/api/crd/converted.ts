import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { goQuote } from "../../status/index.ts";

/** What a webhook has converted: anything, before it is looked at. */
export type Converted = readonly (Json | undefined)[];

/** The objects in the answer of a conversion webhook, if it is one to the review. Throws an Error with the server's words. */
export function checkConverted(answer: JsonObject, version: string, uid: string): Converted {
  const { kind, apiVersion, response } = answer;
  const wanted = `apiextensions.k8s.io/${version}`;
  if (kind === "Status" && apiVersion === "v1")
    throw new Error(`converting (v1.Status) to (${version}.ConversionReview): unknown conversion`);
  const known = kind === "ConversionReview" && String(apiVersion).startsWith("apiextensions.k8s.io/");
  if (kind && apiVersion && !known) {
    throw new Error(
      `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (version === "v1" && (kind !== "ConversionReview" || apiVersion !== wanted)) {
    throw new Error(
      `expected webhook response of ${wanted}, Kind=ConversionReview, got ${groupVersion(apiVersion)}, Kind=${String(kind ?? "")}`,
    );
  }
  if (!isObject(response)) throw new Error("no response provided");
  if (version === "v1" && (response["uid"] ?? "") !== uid) {
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(response["uid"] ?? ""))}`);
  }
  const { status = "", message = "" } = (response["result"] ?? {}) as { readonly status?: string; readonly message?: string };
  if (status !== "Success") throw new Error(message || `response.result.status was '${status}', not 'Success'`);
  return (response["convertedObjects"] ?? []) as Converted;
}

function groupVersion(apiVersion: Json | undefined): string {
  const text = String(apiVersion ?? "");
  return text.includes("/") ? text : `/${text}`;
}
