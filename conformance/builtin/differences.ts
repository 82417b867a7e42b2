import { isDeepStrictEqual } from "node:util";

/** Lists the differences of two JSON values, one line per path: ` .spec.replicas: real 1, ours 2`. */
export function listDifferences(real: unknown, ours: unknown, path = " "): readonly string[] {
  if (isDeepStrictEqual(real, ours)) return [];
  if (!isContainer(real) || !isContainer(ours) || isFlatList(real) || isFlatList(ours)) {
    return [`${path}\n  real ${JSON.stringify(real)}\n  ours ${JSON.stringify(ours)}`];
  }
  const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => listDifferences(real[key], ours[key], `${path}.${key}`));
}

function isFlatList(value: unknown): boolean {
  return Array.isArray(value) && !value.some(isContainer);
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
