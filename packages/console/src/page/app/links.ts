/** The URLs of pages. A page below /fork/ID stays in the fork. */
import type { ObjectPath } from "../../protocol.ts";
import { currentFork } from "../data/api.ts";
import { href, type Query } from "./router.ts";

export function pageHref(path: readonly string[], query: Query = {}): string {
  const fork = currentFork();
  return href(fork === undefined ? path : ["fork", fork, ...path], query);
}
export const objectHref = (path: ObjectPath, query: Query = {}): string => pageHref(["o", ...path.split("/")], query);
export const runHref = (id: string): string => pageHref(["run", id]);
export const chainHref = (revision: number): string => pageHref(["chain", String(revision)]);
export const requestHref = (id: string): string => pageHref(["requests"], { q: id });

/** "apps/deployments/default/web" -> its parts; "-" stands for no namespace. */
export function parseObjectPath(path: ObjectPath): {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
} {
  const [group = "", resource = "", namespace = "", ...name] = path.split("/");
  return { group, resource, namespace: namespace === "-" ? "" : namespace, name: name.join("/") };
}

/** "deployments default/web" */
export function formatObjectPath(path: ObjectPath): string {
  const { resource, namespace, name } = parseObjectPath(path);
  return `${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}
