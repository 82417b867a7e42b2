/** Settings that stay in this browser. A browser may forbid storage; the page works without. */
export function readSetting(name: string): string | undefined {
  try {
    return localStorage.getItem(`pintle.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`pintle.${name}`, value);
  } catch {
    // The setting lasts until the page is closed.
  }
}
