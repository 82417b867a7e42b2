import type { ExecPlugin } from "./exec-plugin.ts";

/** Where a cluster is and who is asking. Everything but the server may be left out. */
export interface Access {
  /** "https://10.0.0.1:6443", also with a path behind it. */
  readonly server: string;
  readonly namespace?: string | undefined;
  /** Who may have signed the server's certificate. Default: the authorities Node trusts. */
  readonly ca?: Material | undefined;
  /** The name the server's certificate is checked against, if not the host's. */
  readonly serverName?: string | undefined;
  /** Take any certificate. */
  readonly insecure?: boolean | undefined;
  /** "http://proxy:3128" or "https://…"; user and password may be part of it. */
  readonly proxy?: string | undefined;
  readonly user?: User | undefined;
  /** What an exec plugin is told about the cluster beside the above. */
  readonly pluginConfig?: unknown;
}

/** Ways to say who is asking. A client certificate may come along with any other. */
export interface User {
  readonly cert?: Material | undefined;
  readonly key?: Material | undefined;
  readonly token?: string | undefined;
  /** Read again as it rotates; stronger than `token`. */
  readonly tokenFile?: string | undefined;
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  readonly exec?: ExecPlugin | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** Act as someone else; needs the "impersonate" permission. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** PEM, in a file that may be replaced while we run, or here. */
export type Material = { readonly file: string; readonly data?: never } | { readonly data: string; readonly file?: never };
