import { fieldError } from "../../status/index.ts";
import type { Problems } from "./problems.ts";

/** No step leads upwards. */
export function* noBacksteps(field: string, path: string): Problems {
  if (path.split("/").includes("..")) yield fieldError.invalid(field, path, "must not contain '..'");
}

/** Somewhere below. */
export function* descendingPath(field: string, path: string): Problems {
  if (path.startsWith("/")) yield fieldError.invalid(field, path, "must be a relative path");
  yield* noBacksteps(field, path);
}

/** Somewhere below, and not where kubelets keep their own things. */
export function* localPath(field: string, path: string): Problems {
  yield* descendingPath(field, path);
  if (path.startsWith("..") && !path.startsWith("../")) yield fieldError.invalid(field, path, "must not start with '..'");
}
