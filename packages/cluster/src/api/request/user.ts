/** The user that sends a request. */
export interface UserInfo {
  /** "system:serviceaccount:default:builder". */
  readonly name: string;
  /** Identifies the user beyond its name. Default: none. */
  readonly uid?: string | undefined;
  /** The groups, with "system:authenticated" for every authenticated user. */
  readonly groups: readonly string[];
  /** More attributes, by key. Default: none. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const AUTHENTICATED = "system:authenticated";
export const ANONYMOUS: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };
/** The API server's own user, for loopback requests. */
export const APISERVER: UserInfo = { name: "system:apiserver", groups: ["system:masters", AUTHENTICATED] };
/** The administrator: the user of the kubeconfig of `startCluster()` and the default of in-process transports. */
export const ADMIN: UserInfo = { name: "kubernetes-admin", groups: ["system:masters", AUTHENTICATED] };

const NODE_USER_PREFIX = "system:node:";
const NODES_GROUP = "system:nodes";

/** Returns the name of the node whose kubelet the user is, "" if its name is missing; undefined for other users. */
export function findNodeName({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NODE_USER_PREFIX) && groups.includes(NODES_GROUP) ? name.slice(NODE_USER_PREFIX.length) : undefined;
}
