/** Compares versions in Kubernetes' order, the preferred first: v2, v1, v2beta1, v1beta2, v1alpha1, then the rest by name. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  for (let part = 0; part < left.length; part++) {
    const difference = (right[part] as number) - (left[part] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** Stability, major, minor. */
function parseVersion(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  return [stage === undefined ? 2 : (STABILITY[stage] as number), Number(major), Number(minor ?? 0)];
}
