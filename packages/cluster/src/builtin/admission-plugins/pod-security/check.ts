import type { Container, Pod, PodSpec } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../../draft.ts";

/** The pod, or the pod template, that is checked. */
export interface PodSecuritySubject {
  readonly metadata: NonNullable<Unvalidated<Pod>["metadata"]>;
  readonly spec: Unvalidated<PodSpec>;
  /** Minor version of the Pod Security Standards; Infinity for the latest. */
  readonly version: number;
}

/** A violation of the Pod Security Standards. */
export interface PodSecurityViolation {
  readonly reason: string;
  readonly detail: string;
}

export type PodSecurityCheck = (subject: PodSecuritySubject) => PodSecurityViolation | undefined;

export type AnyContainer = Unvalidated<Container>;

export function listContainers({ initContainers, containers, ephemeralContainers }: Unvalidated<PodSpec>): readonly AnyContainer[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...((ephemeralContainers ?? []) as readonly AnyContainer[])];
}

/** Formats names: `container "a"`, `containers "a", "b"`. */
export function formatNamed(what: string, names: readonly string[]): string {
  return `${pluralize(what, names.length)} ${quoteAll(names)}`;
}

export function pluralize(what: string, count: number): string {
  return count === 1 ? what : `${what}s`;
}

export function quoteAll(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

export function sortUnique(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].sort();
}

/** Returns the names of the containers that violate a check. */
export function namesOfContainers(spec: Unvalidated<PodSpec>, wrong: (container: AnyContainer) => boolean): readonly string[] {
  return listContainers(spec)
    .filter(wrong)
    .map(({ name }) => name ?? "");
}

/** Formats where a forbidden value is set: `pod`, `containers "a", "b"`, or both. */
export function formatSetters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length === 0 ? [] : [formatNamed("container", containers)])].join(" and ");
}

/** Returns whether the pod runs on Windows, where the Linux fields do not apply. */
export function isWindows({ spec, version }: PodSecuritySubject): boolean {
  return version >= 25 && spec.os?.name === "windows";
}

/** Returns whether the pod has its own user namespace, which relaxes the checks of users. */
export function hasUserNamespace({ spec, version }: PodSecuritySubject): boolean {
  return version >= 35 && spec.hostUsers === false;
}
