const VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STAGES = ["alpha", "beta", undefined];

/** Orders names of API versions from the oldest to the newest: `foo`, `v1alpha1`, `v1beta1`, `v1`, `v2`. */
export function compareKubernetesVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) {
    // Names that are no versions come first, in reverse order.
    return Number(left !== null) - Number(right !== null) || (a === b ? 0 : a < b ? 1 : -1);
  }
  return (
    STAGES.indexOf(left[2]) - STAGES.indexOf(right[2]) || Number(left[1]) - Number(right[1]) || Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}
