import { type FieldError, fieldError } from "../../status/index.ts";
import { parseRequestUri, UrlError } from "../formats/go-url.ts";
import type { CustomResourceDefinition } from "./crd.ts";

const annotation = "api-approved.kubernetes.io";
const path = `metadata.annotations[${annotation}]`;
const seeAlso = "see https://github.com/kubernetes/enhancements/pull/1111";

export type ApiApprovalState = "missing" | "bypassed" | "approved" | "invalid";
const MISSING = `protected groups must have approval annotation "${annotation}", ${seeAlso}`;
const INVALID = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${seeAlso}`;

/** Requires the annotation `api-approved.kubernetes.io` for groups that belong to the Kubernetes community. */
export function validateApiApproval(crd: CustomResourceDefinition, before: CustomResourceDefinition | undefined): FieldError[] {
  const now = getApiApproval(crd);
  if (now === undefined || (before !== undefined && getApiApproval(before)?.state === now.state)) return [];
  if (now.state === "missing") return [fieldError.required(path, now.message)];
  return now.state === "invalid" ? [fieldError.invalid(path, getApprovalAnnotation(crd), now.message)] : [];
}

/** Returns the state of the API approval annotation; undefined if the group does not need one. */
export function getApiApproval(crd: CustomResourceDefinition): { readonly state: ApiApprovalState; readonly message: string } | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(crd.spec.group ?? "")) return undefined;
  const text = getApprovalAnnotation(crd);
  const state = parseApprovalState(text);
  if (state === "missing") return { state, message: MISSING };
  if (state === "invalid") return { state, message: INVALID };
  return { state, message: state === "bypassed" ? `not approved: ${JSON.stringify(text)}` : `approved in ${text}` };
}

const getApprovalAnnotation = (crd: CustomResourceDefinition) => crd.metadata?.annotations?.[annotation] ?? "";

function parseApprovalState(text: string): ApiApprovalState {
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  try {
    const { scheme, host } = parseRequestUri(text);
    return scheme !== "" && host !== "" ? "approved" : "invalid";
  } catch (error) {
    if (error instanceof UrlError) return "invalid";
    throw error;
  }
}
