/**
 * Where the cluster is and who is asking: kubeconfigs merged as kubectl merges them, the service account of a pod,
 * exec plugins. In come environment and files; out go an Access (what is configured) and Credentials (who we are
 * now). Nothing here contacts a server.
 */
export type { Access, Impersonation, Material, User } from "./access.ts";
export { ConfigError, CredentialsError } from "./config-error.ts";
export { type Credential, type Credentials, credentials } from "./credentials.ts";
export type { ExecPlugin } from "./exec-plugin.ts";
export type { Kubeconfig } from "./kubeconfig.ts";
export { type LocateOptions, locate } from "./locate.ts";
