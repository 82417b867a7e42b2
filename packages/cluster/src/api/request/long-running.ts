import type { RequestInfo } from "./request-info.ts";

const LONG_RUNNING_SUBRESOURCES = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Whether a request may take any time, as kube-apiserver decides it: watches, and streams to nodes. */
export function isLongRunning(info: RequestInfo): boolean {
  return info.type === "resource" && (info.verb === "watch" || LONG_RUNNING_SUBRESOURCES.has(info.subresource));
}
