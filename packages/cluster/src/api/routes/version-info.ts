import { PintleError } from "pintle/internal/errors";

/** The version that /version reports. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  /** What the server was built from and with. Default: empty, because it was not built by Go. */
  readonly build?: BuildInfo | undefined;
}

/** The other fields of /version, for clients that compare them with those of a real server. */
export interface BuildInfo {
  readonly gitCommit?: string | undefined;
  /** Default: clean. */
  readonly gitTreeState?: string | undefined;
  readonly buildDate?: string | undefined;
  readonly goVersion?: string | undefined;
  readonly compiler?: string | undefined;
  /** Default: that of this process. */
  readonly platform?: string | undefined;
}

/** Parses a version such as "v1.36.3". Throws `PintleError` for any other text. */
export function parseVersionInfo(gitVersion: string, build?: BuildInfo): VersionInfo {
  const match = /^v(\d+)\.(\d+)\.\d+/.exec(gitVersion);
  if (match === null) {
    throw new PintleError("PINTLE6504", `${JSON.stringify(gitVersion)} is not a Kubernetes version: write it like v1.36.3`);
  }
  return { major: match[1] as string, minor: match[2] as string, gitVersion, ...(build === undefined ? {} : { build }) };
}
