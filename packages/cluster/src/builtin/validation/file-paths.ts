import { fieldError } from "../../status/index.ts";
import type { FieldErrors } from "./validators.ts";

/** Rejects ".." path elements. */
export function* validateNoBacksteps(field: string, path: string): FieldErrors {
  if (path.split("/").includes("..")) yield fieldError.invalid(field, path, "must not contain '..'");
}

/** Requires a relative path without "..". */
export function* validateRelativePath(field: string, path: string): FieldErrors {
  if (path.startsWith("/")) yield fieldError.invalid(field, path, "must be a relative path");
  yield* validateNoBacksteps(field, path);
}

/** Requires a relative path that does not start with "..", which the kubelet reserves. */
export function* validateLocalPath(field: string, path: string): FieldErrors {
  yield* validateRelativePath(field, path);
  if (path.startsWith("..") && !path.startsWith("../")) yield fieldError.invalid(field, path, "must not start with '..'");
}
