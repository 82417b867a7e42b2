import { PintleError } from "pintle/internal/errors";

/** The version that /version reports. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

/** Parses a version such as "v1.36.3". Throws `PintleError` for any other text. */
export function parseVersionInfo(gitVersion: string): VersionInfo {
  const match = /^v(\d+)\.(\d+)\.\d+/.exec(gitVersion);
  if (match === null) {
    throw new PintleError("PINTLE6504", `${JSON.stringify(gitVersion)} is not a Kubernetes version: write it like v1.36.3`);
  }
  return { major: match[1] as string, minor: match[2] as string, gitVersion };
}
