import { type FieldError, fieldError } from "../../../status/index.ts";
import type { Level } from "./standards.ts";

const PREFIX = "pod-security.kubernetes.io/";
const LEVELS: readonly Level[] = ["privileged", "baseline", "restricted"];

export interface LevelVersion {
  readonly level: Level;
  /** The minor version; Infinity for the latest. */
  readonly version: number;
}

/** What the labels of a namespace ask of its pods. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** What is wrong with the labels. */
  readonly problems: readonly FieldError[];
}

const NONE: LevelVersion = { level: "privileged", version: Number.POSITIVE_INFINITY };
const NO_POLICY: SecurityPolicy = { enforce: NONE, warn: NONE, problems: [] };

export function securityPolicy(labels: Readonly<Record<string, string | null | undefined>> = {}): SecurityPolicy {
  if (!Object.keys(labels).some((key) => key.startsWith(PREFIX))) return NO_POLICY;
  const problems: FieldError[] = [];
  const read = <T>(label: string, parse: (text: string) => T | undefined, otherwise: T, why: string): T | undefined => {
    const text = labels[`${PREFIX}${label}`];
    if (text == null) return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(fieldError.invalid(`metadata.labels[${PREFIX}${label}]`, text, why));
    return value ?? otherwise;
  };
  const level = (mode: string, otherwise: Level) => read(mode, levelOf, otherwise, `must be one of ${LEVELS.join(", ")}`);
  const version = (mode: string) => read(`${mode}-version`, versionOf, Number.POSITIVE_INFINITY, 'must be "latest" or "v1.x"');
  const enforce = { level: level("enforce", "restricted") ?? "privileged", version: version("enforce") ?? Number.POSITIVE_INFINITY };
  level("audit", "privileged");
  version("audit");
  const warnLevel = level("warn", "privileged");
  const warnVersion = version("warn");
  const follows = warnLevel === undefined && levelOf(labels[`${PREFIX}enforce`] ?? "") !== undefined && enforce.level !== "privileged";
  const warn = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel ?? "privileged", version: warnVersion ?? Number.POSITIVE_INFINITY };
  return { enforce, warn, problems };
}

function levelOf(text: string): Level | undefined {
  return LEVELS.find((level) => level === text);
}

function versionOf(text: string): number | undefined {
  if (text === "latest") return Number.POSITIVE_INFINITY;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export function policyText({ level, version }: LevelVersion): string {
  return `${level}:${version === Number.POSITIVE_INFINITY ? "latest" : `v1.${version}`}`;
}

/** Which of two levels asks for more. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}
