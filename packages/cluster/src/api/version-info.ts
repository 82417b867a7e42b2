/** What /version says. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export function versionInfo(gitVersion: string): VersionInfo {
  const match = /^v(\d+)\.(\d+)\.\d+/.exec(gitVersion);
  if (match === null) throw new Error(`${JSON.stringify(gitVersion)} is not a Kubernetes version: write it like v1.36.3`);
  return { major: match[1] as string, minor: match[2] as string, gitVersion };
}
