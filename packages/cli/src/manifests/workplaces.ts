import type { Context } from "./context.ts";

/** The namespaces the operator works in. */
export function workplaces({ project }: Pick<Context, "project">): "all" | readonly string[] {
  const { namespaces = "all" } = project.config;
  if (namespaces === "own") return [project.namespace];
  return namespaces === "all" ? "all" : [...new Set(namespaces)].sort();
}
