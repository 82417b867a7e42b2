/**
 * Cluster access: kubeconfigs merged as kubectl merges them, the service account of a pod, exec plugins.
 *
 * In: environment variables and files. Out: a `ClusterAccess` (what is configured) and a `CredentialSource` (the credentials to use now).
 * Nothing here contacts a server.
 */
export { ConfigError, CredentialsError } from "./access-errors.ts";
export type { AuthInfo, ClusterAccess, ExecPlugin, Impersonation, PemSource } from "./cluster-access.ts";
export { type Credential, type CredentialSource, createCredentialSource } from "./credentials.ts";
export type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigExec, KubeconfigUser } from "./kubeconfig.ts";
export { type ClusterAccessOptions, loadClusterAccess } from "./load-cluster-access.ts";
