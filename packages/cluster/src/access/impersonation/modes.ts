import { subdomainName, type UserInfo } from "../../api/index.ts";
import { accountOf } from "../service-account.ts";
import type { WantedUser } from "./wanted.ts";

/** One way to be allowed to act as somebody else. */
export interface Mode {
  readonly name: string;
  /** Needs `impersonate:<name>` on the user and `impersonate-on:<name>:<verb>` on what is done; the old way is one verb for all. */
  readonly constrained: boolean;
  applies(wanted: WantedUser, requester: UserInfo): boolean;
}

export const ASSOCIATED_NODE = "associated-node";
const NODE_NAME = "authentication.kubernetes.io/node-name";

/** In the order they are tried. */
export const MODES: readonly Mode[] = [
  // A ServiceAccount as the node its token is bound to.
  { name: ASSOCIATED_NODE, constrained: true, applies: (wanted, requester) => nameOnly(wanted) && isOwnNode(wanted, requester) },
  { name: "arbitrary-node", constrained: true, applies: (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  { name: "serviceaccount", constrained: true, applies: (wanted) => nameOnly(wanted) && accountOf(wanted.name) !== undefined },
  {
    name: "user-info",
    constrained: true,
    applies: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { name: "legacy", constrained: false, applies: () => true },
];

/** The node a user is; undefined: none. */
export function nodeOf(user: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(user)?.[1];
  return name !== undefined && subdomainName(name, false).length === 0 ? name : undefined;
}

function nameOnly({ uid, groups, extra }: WantedUser): boolean {
  return uid === "" && groups.length === 0 && extra.size === 0;
}

function isOwnNode(wanted: WantedUser, { name, extra = {} }: UserInfo): boolean {
  const node = nodeOf(wanted.name);
  const [own, ...others] = extra[NODE_NAME] ?? [];
  return node !== undefined && accountOf(name) !== undefined && own === node && others.length === 0;
}
