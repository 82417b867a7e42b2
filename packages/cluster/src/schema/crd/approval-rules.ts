import { type FieldError, fieldError } from "../../status/index.ts";
import { parseRequestUri, UrlError } from "../text/go-url.ts";
import type { CustomResourceDefinition } from "./crd.ts";

const annotation = "api-approved.kubernetes.io";
const path = `metadata.annotations[${annotation}]`;
const seeAlso = "see https://github.com/kubernetes/enhancements/pull/1111";

export type CrdApproval = "missing" | "bypassed" | "approved" | "invalid";
const MISSING = `protected groups must have approval annotation "${annotation}", ${seeAlso}`;
const INVALID = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${seeAlso}`;

/** Groups of the Kubernetes community need a note on who approved them. */
export function approvalErrors(crd: CustomResourceDefinition, before: CustomResourceDefinition | undefined): FieldError[] {
  const now = crdApproval(crd);
  if (now === undefined || (before !== undefined && crdApproval(before)?.state === now.state)) return [];
  if (now.state === "missing") return [fieldError.required(path, now.message)];
  return now.state === "invalid" ? [fieldError.invalid(path, textOf(crd), now.message)] : [];
}

/** What the note says; undefined where none is needed. */
export function crdApproval(crd: CustomResourceDefinition): { readonly state: CrdApproval; readonly message: string } | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(crd.spec.group ?? "")) return undefined;
  const text = textOf(crd);
  const state = stateOf(text);
  if (state === "missing") return { state, message: MISSING };
  if (state === "invalid") return { state, message: INVALID };
  return { state, message: state === "bypassed" ? `not approved: ${JSON.stringify(text)}` : `approved in ${text}` };
}

const textOf = (crd: CustomResourceDefinition) => crd.metadata?.annotations?.[annotation] ?? "";

function stateOf(text: string): CrdApproval {
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
