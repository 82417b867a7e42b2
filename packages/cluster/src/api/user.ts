/** Who asks. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const AUTHENTICATED = "system:authenticated";
export const ANONYMOUS: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };
/** The server itself. */
export const APISERVER: UserInfo = { name: "system:apiserver", groups: ["system:masters", AUTHENTICATED] };
/** May do everything; what the kubeconfig of `startCluster()` and the in-process transport are by default. */
export const ADMIN: UserInfo = { name: "kubernetes-admin", groups: ["system:masters", AUTHENTICATED] };
