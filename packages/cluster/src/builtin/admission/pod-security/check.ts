import type { Container, Pod, PodSpec } from "pintle/kinds/core/v1";
import type { Loose } from "../../draft.ts";

/** What a check looks at: a pod, or what a template will make. */
export interface Subject {
  readonly metadata: NonNullable<Loose<Pod>["metadata"]>;
  readonly spec: Loose<PodSpec>;
  /** The minor version of the standards that apply; Infinity for the latest. */
  readonly version: number;
}

/** Why a pod does not meet a standard. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (subject: Subject) => Violation | undefined;

export type AnyContainer = Loose<Container>;

export function containersOf({ initContainers, containers, ephemeralContainers }: Loose<PodSpec>): readonly AnyContainer[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...((ephemeralContainers ?? []) as readonly AnyContainer[])];
}

/** `container "a"`, `containers "a", "b"`. */
export function named(what: string, names: readonly string[]): string {
  return `${plural(what, names.length)} ${quoted(names)}`;
}

export function plural(what: string, count: number): string {
  return count === 1 ? what : `${what}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

export function sorted(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].sort();
}

/** Names of the containers that a test finds wanting. */
export function those(spec: Loose<PodSpec>, wrong: (container: AnyContainer) => boolean): readonly string[] {
  return containersOf(spec)
    .filter(wrong)
    .map(({ name }) => name ?? "");
}

/** `pod`, `containers "a", "b"`, or both: whoever set something wrong. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length === 0 ? [] : [named("container", containers)])].join(" and ");
}

/** Pods for Windows have no such fields. */
export function isWindows({ spec, version }: Subject): boolean {
  return version >= 25 && spec.os?.name === "windows";
}

/** A pod with users of its own may be root among them. */
export function hasOwnUsers({ spec, version }: Subject): boolean {
  return version >= 35 && spec.hostUsers === false;
}
