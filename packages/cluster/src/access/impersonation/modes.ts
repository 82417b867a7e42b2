import { type UserInfo, validateSubdomainName } from "../../api/index.ts";
import { parseServiceAccountUsername } from "../service-account.ts";
import type { ImpersonatedUser } from "./impersonated-user.ts";

/** A mode of impersonation with its own permission checks. */
export interface ImpersonationMode {
  readonly name: string;
  /**
   * A constrained mode requires `impersonate:<name>` on the user and `impersonate-on:<name>:<verb>` on the action; the legacy mode
   * requires `impersonate` only.
   */
  readonly isConstrained: boolean;
  appliesTo(impersonated: ImpersonatedUser, requester: UserInfo): boolean;
}

export const ASSOCIATED_NODE = "associated-node";
const NODE_NAME = "authentication.kubernetes.io/node-name";

/** In the order in which they are tried. */
export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  // A ServiceAccount impersonates the node that its token is bound to.
  {
    name: ASSOCIATED_NODE,
    isConstrained: true,
    appliesTo: (impersonated, requester) => hasNameOnly(impersonated) && isOwnNode(impersonated, requester),
  },
  {
    name: "arbitrary-node",
    isConstrained: true,
    appliesTo: (impersonated) => hasNameOnly(impersonated) && parseNodeUsername(impersonated.name) !== undefined,
  },
  {
    name: "serviceaccount",
    isConstrained: true,
    appliesTo: (impersonated) => hasNameOnly(impersonated) && parseServiceAccountUsername(impersonated.name) !== undefined,
  },
  {
    name: "user-info",
    isConstrained: true,
    appliesTo: ({ name }) => parseNodeUsername(name) === undefined && parseServiceAccountUsername(name) === undefined,
  },
  { name: "legacy", isConstrained: false, appliesTo: () => true },
];

/** Returns the node name of a node's username; undefined for other users. */
export function parseNodeUsername(user: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(user)?.[1];
  return name !== undefined && validateSubdomainName(name, false).length === 0 ? name : undefined;
}

function hasNameOnly({ uid, groups, extra }: ImpersonatedUser): boolean {
  return uid === "" && groups.length === 0 && extra.size === 0;
}

function isOwnNode(impersonated: ImpersonatedUser, { name, extra = {} }: UserInfo): boolean {
  const node = parseNodeUsername(impersonated.name);
  const [own, ...others] = extra[NODE_NAME] ?? [];
  return node !== undefined && parseServiceAccountUsername(name) !== undefined && own === node && others.length === 0;
}
