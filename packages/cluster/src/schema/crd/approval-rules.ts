import { type FieldError, fieldError } from "../../status/index.ts";
import { parseRequestUri, UrlError } from "../text/go-url.ts";
import type { CustomResourceDefinition } from "./crd.ts";

const annotation = "api-approved.kubernetes.io";
const path = `metadata.annotations[${annotation}]`;
const seeAlso = "see https://github.com/kubernetes/enhancements/pull/1111";

type Approval = "missing" | "bypassed" | "approved" | "invalid";

/** Groups of the Kubernetes community need a note on who approved them. */
export function approvalErrors(crd: CustomResourceDefinition, before: CustomResourceDefinition | undefined): FieldError[] {
  const group = crd.spec.group ?? "";
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const state = approval(crd);
  if (before !== undefined && approval(before) === state) return [];
  if (state === "missing") {
    return [fieldError.required(path, `protected groups must have approval annotation "${annotation}", ${seeAlso}`)];
  }
  if (state !== "invalid") return [];
  const must = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${seeAlso}`;
  return [fieldError.invalid(path, crd.metadata?.annotations?.[annotation] ?? "", must)];
}

function approval(crd: CustomResourceDefinition): Approval {
  const text = crd.metadata?.annotations?.[annotation] ?? "";
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
