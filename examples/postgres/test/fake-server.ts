import { setImmediate as nextTurn } from "node:timers/promises";
import { failed } from "pintle";
import type { Server } from "../src/server.ts";

interface Role {
  readonly password: string;
  readonly connectionLimit: number;
}

/** A server in memory. `server-contract.ts` checks that it behaves as a real one. */
export interface FakeServer extends Server {
  readonly roles: Map<string, Role>;
  /** Owners by database. */
  readonly databases: Map<string, string>;
  /** Creates a role and a database that are not the operator's. */
  addForeign(name: string): void;
  isReachable: boolean;
}

export function createFakeServer(): FakeServer {
  const foreign = new Set<string>();
  const roles = new Map<string, Role>();
  const databases = new Map<string, string>();
  const connect = async () => {
    // As the answer of a real server, one from memory comes in a later turn of the event loop.
    await nextTurn();
    if (!server.isReachable) throw failed("ServerUnreachable", "could not reach PostgreSQL at fake:5432", { cause: new Error("refused") });
  };
  const requireOwnRole = (role: string) => {
    if (foreign.has(role)) throw failed("AlreadyExists", `role ${role} exists, and this operator has not created it`);
  };
  const server: FakeServer = {
    roles,
    databases,
    addForeign(name) {
      foreign.add(name);
      databases.set(name, "postgres");
    },
    isReachable: true,
    address: { host: "fake", port: 5432 },
    async ensureRole(role, options) {
      await connect();
      requireOwnRole(role);
      const isNew = !roles.has(role);
      roles.set(role, options);
      return isNew;
    },
    async listDatabases(role) {
      await connect();
      return [...databases].filter(([, owner]) => owner === role).map(([name]) => name);
    },
    async dropRole(role) {
      await connect();
      requireOwnRole(role);
      if ([...databases.values()].includes(role)) throw new Error(`role "${role}" cannot be dropped because some objects depend on it`);
      roles.delete(role);
    },
    async ensureDatabase(database, owner) {
      await connect();
      const found = databases.get(database);
      if (found !== undefined && found !== owner) throw failed("AlreadyExists", `database ${database} exists, and belongs to ${found}`);
      if (!roles.has(owner)) throw new Error(`role "${owner}" does not exist`);
      databases.set(database, owner);
      return found === undefined;
    },
    async dropDatabase(database, owner) {
      await connect();
      if (databases.get(database) === owner) databases.delete(database);
    },
  };
  return server;
}
