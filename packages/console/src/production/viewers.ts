import type { TLSSocket } from "node:tls";
import type { Client } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import { createExpiringCache } from "pintle/internal/manager";
import { TokenReview } from "pintle/kinds/authentication/v1";
import { SubjectAccessReview } from "pintle/kinds/authorization/v1";
import type { PathParts } from "../objects/index.ts";

/** Who looks at the console, and what this user may see. */
export interface Viewer {
  readonly id: string;
  readonly name: string;
  mayGetPath(path: string): Promise<boolean>;
  /** Whether the user may `get` an object; never of a Secret. */
  mayRead(object: PathParts): Promise<boolean>;
  /** Whether the user may `list` a resource in all namespaces. */
  mayList(resource: Pick<PathParts, "group" | "resource">, namespace?: string): Promise<boolean>;
}

export interface Viewers {
  /** The user of a request: by its bearer token, or else by its verified client certificate. */
  authenticate(
    authorization: string | undefined,
    socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">,
  ): Promise<Viewer | undefined>;
}

interface User {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** A right that is revoked ends within half a minute. */
const ALLOWED_TTL_MS = 30_000;
const DENIED_TTL_MS = 10_000;

export function createViewers(client: Client, clock: Clock): Viewers {
  const users = createExpiringCache<User | undefined>(clock);
  const rights = createExpiringCache<boolean>(clock);

  const review = async (token: string): Promise<User | undefined> => {
    const { status } = await client.create(TokenReview, { metadata: {}, spec: { token } } as never);
    return status?.authenticated === true ? (status.user as User) : undefined;
  };
  const mayDo = (user: User, attributes: object) =>
    rights(JSON.stringify([user, attributes]), async () => {
      const spec = { user: user.username, uid: user.uid, groups: user.groups, ...attributes };
      const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec } as never);
      return status?.allowed === true ? [true, ALLOWED_TTL_MS] : [false, DENIED_TTL_MS];
    });
  const viewerOf = (user: User): Viewer => {
    const viewer: Viewer = {
      id: JSON.stringify(user),
      name: user.username ?? "",
      mayGetPath: (path) => mayDo(user, { nonResourceAttributes: { path, verb: "get" } }),
      mayList: async ({ group, resource }, namespace) =>
        !isSecret({ group, resource }) && (await mayDo(user, { resourceAttributes: { verb: "list", group, resource, namespace } })),
      async mayRead({ group, resource, namespace, name }) {
        if (isSecret({ group, resource })) return false;
        // Who may list may get; asking for lists first needs a review for each kind instead of each object.
        if (await viewer.mayList({ group, resource })) return true;
        if (namespace !== undefined && (await viewer.mayList({ group, resource }, namespace))) return true;
        return mayDo(user, { resourceAttributes: { verb: "get", group, resource, namespace, name } });
      },
    };
    return viewer;
  };
  return {
    async authenticate(authorization, socket) {
      const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
      if (token !== undefined) {
        const user = await users(token, async () => {
          const found = await review(token);
          return [found, found === undefined ? DENIED_TTL_MS : ALLOWED_TTL_MS];
        });
        return user === undefined ? undefined : viewerOf(user);
      }
      if (authorization !== undefined || !socket.authorized) return undefined;
      const { subject } = socket.getPeerCertificate() as {
        readonly subject?: { readonly CN?: string; readonly O?: string | readonly string[] };
      };
      if (subject?.CN === undefined) return undefined;
      return viewerOf({ username: subject.CN, groups: [...[subject.O ?? []].flat(), "system:authenticated"] });
    },
  };
}

const isSecret = ({ group, resource }: Pick<PathParts, "group" | "resource">) => group === "" && resource.split("/")[0] === "secrets";
