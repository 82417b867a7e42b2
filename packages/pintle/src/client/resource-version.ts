/**
 * Orders two resourceVersions of one resource: negative when `a` is older. They are decimal numbers of any length,
 * so they are compared as text.
 */
export function compareResourceVersions(a: string, b: string): number {
  check(a);
  check(b);
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function check(version: string): void {
  if (!/^(0|[1-9][0-9]*)$/.test(version))
    throw new TypeError(`resourceVersion ${JSON.stringify(version)} is not a decimal number and cannot be ordered`);
}
