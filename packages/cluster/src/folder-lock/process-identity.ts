import { readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A process, as another one can recognize it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its PID namespace, where there are such: a pid means nothing in another one. */
  readonly namespace: string;
  readonly host: string;
}

export function getOwnIdentity(): ProcessIdentity {
  return { pid: process.pid, namespace: getNamespace(), host: hostname() };
}

function getNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Names a process for an error message; undefined is one that does not respond. */
export function describeProcess(other: ProcessIdentity | undefined): string {
  if (other === undefined) return "another process, which does not respond";
  const own = getOwnIdentity();
  if (other.host !== own.host) return `process ${other.pid} on host ${other.host}`;
  if (other.namespace !== own.namespace) return `process ${other.pid} of another PID namespace`;
  return other.pid === own.pid ? "this process" : `process ${other.pid}`;
}

/** Parses what another process wrote about itself; undefined for anything else. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  const { pid, namespace, host } = (value ?? {}) as Partial<ProcessIdentity>;
  return typeof pid === "number" && typeof namespace === "string" && typeof host === "string" ? { pid, namespace, host } : undefined;
}
