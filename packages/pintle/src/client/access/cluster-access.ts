/** The address of a cluster and the identity used there. Only `server` is required. */
export interface ClusterAccess {
  /** "https://10.0.0.1:6443", optionally with a path. */
  readonly server: string;
  /** Default namespace of the context or pod. Default: none. */
  readonly namespace?: string | undefined;
  /** The certificate authorities that may have signed the server's certificate. Default: the authorities that Node trusts. */
  readonly ca?: PemSource | undefined;
  /** The name that the server's certificate must be for. Default: the host name. */
  readonly tlsServerName?: string | undefined;
  /** Accept any server certificate. Default: false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** "http://proxy:3128" or "https://…", optionally with user and password. Default: no proxy. */
  readonly proxyUrl?: string | undefined;
  /** Default: anonymous. */
  readonly user?: AuthInfo | undefined;
  /** The `config` that an exec plugin gets in its cluster info. Default: none. */
  readonly execPluginConfig?: unknown;
}

/** The credentials of a user. A client certificate may be combined with any other. */
export interface AuthInfo {
  readonly clientCertificate?: PemSource | undefined;
  readonly clientKey?: PemSource | undefined;
  readonly token?: string | undefined;
  /** Read again while it rotates; takes precedence over `token`. */
  readonly tokenFile?: string | undefined;
  readonly basicAuth?: { readonly username: string; readonly password: string } | undefined;
  readonly exec?: ExecPlugin | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** The user to act as; requires the permission "impersonate". */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** PEM text, or a file of it that may be replaced while the client is in use. */
export type PemSource = { readonly file: string; readonly data?: never } | { readonly data: string; readonly file?: never };

/** A command that returns credentials: `exec` of a kubeconfig user. */
export interface ExecPlugin {
  readonly apiVersion: "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Printed when the command is not installed. Default: none. */
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
  /** Whether the command may read from the terminal. */
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}
