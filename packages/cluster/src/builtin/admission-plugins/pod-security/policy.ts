import { type FieldError, fieldError } from "../../../status/index.ts";
import type { PodSecurityLevel } from "./standards.ts";

const LABEL_PREFIX = "pod-security.kubernetes.io/";
const LEVELS: readonly PodSecurityLevel[] = ["privileged", "baseline", "restricted"];

export interface PodSecurityLevelVersion {
  readonly level: PodSecurityLevel;
  /** Minor version; Infinity for the latest. */
  readonly version: number;
}

/** The Pod Security levels that the labels of a namespace select. */
export interface PodSecurityPolicy {
  readonly enforce: PodSecurityLevelVersion;
  readonly audit: PodSecurityLevelVersion;
  readonly warn: PodSecurityLevelVersion;
  /** Errors in the labels. */
  readonly labelErrors: readonly FieldError[];
}

const PRIVILEGED: PodSecurityLevelVersion = { level: "privileged", version: Number.POSITIVE_INFINITY };
const NO_POLICY: PodSecurityPolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED, labelErrors: [] };

export function parsePodSecurityPolicy(labels: Readonly<Record<string, string | null | undefined>> = {}): PodSecurityPolicy {
  if (!Object.keys(labels).some((key) => key.startsWith(LABEL_PREFIX))) return NO_POLICY;
  const labelErrors: FieldError[] = [];
  const read = <T>(label: string, parse: (text: string) => T | undefined, otherwise: T, why: string): T | undefined => {
    const text = labels[`${LABEL_PREFIX}${label}`];
    if (text == null) return undefined;
    const value = parse(text);
    if (value === undefined) labelErrors.push(fieldError.invalid(`metadata.labels[${LABEL_PREFIX}${label}]`, text, why));
    return value ?? otherwise;
  };
  const level = (mode: string, otherwise: PodSecurityLevel) => read(mode, parseLevel, otherwise, `must be one of ${LEVELS.join(", ")}`);
  const version = (mode: string) => read(`${mode}-version`, parseVersion, Number.POSITIVE_INFINITY, 'must be "latest" or "v1.x"');
  const enforce = { level: level("enforce", "restricted") ?? "privileged", version: version("enforce") ?? Number.POSITIVE_INFINITY };
  const audit = { level: level("audit", "privileged") ?? "privileged", version: version("audit") ?? Number.POSITIVE_INFINITY };
  const warnLevel = level("warn", "privileged");
  const warnVersion = version("warn");
  const follows =
    warnLevel === undefined && parseLevel(labels[`${LABEL_PREFIX}enforce`] ?? "") !== undefined && enforce.level !== "privileged";
  const warn = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel ?? "privileged", version: warnVersion ?? Number.POSITIVE_INFINITY };
  return { enforce, audit, warn, labelErrors };
}

function parseLevel(text: string): PodSecurityLevel | undefined {
  return LEVELS.find((level) => level === text);
}

function parseVersion(text: string): number | undefined {
  if (text === "latest") return Number.POSITIVE_INFINITY;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export function formatLevelVersion({ level, version }: PodSecurityLevelVersion): string {
  return `${level}:${version === Number.POSITIVE_INFINITY ? "latest" : `v1.${version}`}`;
}

/** Compares two levels; positive if the first is stricter. */
export function compareLevels(a: PodSecurityLevel, b: PodSecurityLevel): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}
