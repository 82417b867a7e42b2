import { clusterTest } from "@pintle/cluster/vitest";
import { type Client, hasCondition } from "pintle/client";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { describe, expect } from "vitest";
import { databaseController } from "../src/database-controller.ts";
import { Database, sqlName, User } from "../src/resources.ts";
import type { Server } from "../src/server.ts";
import { userController } from "../src/user-controller.ts";

/** A server, and what tests do with it behind the operator's back. */
export interface ServerUnderTest {
  readonly server: Server;
  /** Resolves to whether the role can log in, to a database if one is given. */
  canLogIn(role: string, password: string, database?: string): Promise<boolean>;
  /** Creates a role and a database that are not the operator's. */
  addForeign(name: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const within = { timeout: 60_000 };
const readyOf = ({ status }: User | Database) => status?.conditions?.find(({ type }) => type === "Ready");
const decode = (secret: Secret, key: string) => Buffer.from(secret.data?.[key] ?? "", "base64").toString();

/** Tests of the operator on a cluster, the same for every server. Each has names of its own. */
export function describeOperator(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(name, { timeout: 120_000 }, () => {
    let starting: Promise<ServerUnderTest> | undefined;
    const getServer = () => (starting ??= start());
    const test = clusterTest({
      async operator() {
        const { server } = await getServer();
        return { controllers: [userController(server), databaseController(server)] };
      },
    });
    const createBoth = async (client: Client, namespace: string, spec: object = {}) => {
      await client.create(Database, { metadata: { name: "shop", namespace }, spec: { owner: "app", ...spec } });
      await client.create(User, { metadata: { name: "app", namespace }, spec: {} });
      await client.waitFor(Database, { name: "shop", namespace }, hasCondition("Ready"), within);
      return client.get(Secret, { name: "app-credentials", namespace });
    };

    test("an application can log in with the Secret and the ConfigMap", async ({ client, namespace }) => {
      const { canLogIn, server } = await getServer();
      const secret = await createBoth(client, namespace);
      const { data } = await client.get(ConfigMap, { name: "shop-connection", namespace });
      const [role, database] = [sqlName(namespace, "app"), sqlName(namespace, "shop")];
      expect(decode(secret, "PGUSER")).toBe(role);
      expect(data).toEqual({ PGHOST: server.address.host, PGPORT: String(server.address.port), PGDATABASE: database });
      expect(await canLogIn(role, decode(secret, "PGPASSWORD"), database)).toBe(true);
      expect(await canLogIn(role, "guessed")).toBe(false);
    });

    test("a password that is changed in the Secret is changed in the server", async ({ client, namespace }) => {
      const { canLogIn } = await getServer();
      const secret = await createBoth(client, namespace);
      const role = sqlName(namespace, "app");
      await client.patch(Secret, secret.metadata, { merge: { stringData: { PGPASSWORD: "chosen" } } });
      await expect.poll(() => canLogIn(role, "chosen"), within).toBe(true);
      expect(await canLogIn(role, decode(secret, "PGPASSWORD"))).toBe(false);
    });

    test("objects that are deleted together are dropped in the order that the server needs", async ({ client, namespace }) => {
      const { server } = await getServer();
      await createBoth(client, namespace);
      await client.delete(User, { name: "app", namespace });
      const waiting = await client.waitFor(User, { name: "app", namespace }, (user) => readyOf(user)?.reason === "OwnsDatabases", within);
      expect(readyOf(waiting)?.message).toContain(sqlName(namespace, "shop"));
      await client.delete(Database, { name: "shop", namespace });
      await client.waitForDeletion(User, { name: "app", namespace }, within);
      await client.waitForDeletion(Secret, { name: "app-credentials", namespace }, { timeout: 90_000 });
      expect(await server.listDatabases(sqlName(namespace, "app"))).toEqual([]);
      expect(await server.ensureRole(sqlName(namespace, "app"), { password: "a", connectionLimit: -1 })).toBe(true);
    });

    test("a retained database is found again", async ({ client, namespace }) => {
      const { server } = await getServer();
      await createBoth(client, namespace, { reclaimPolicy: "Retain" });
      const ref = { name: "shop", namespace };
      await client.delete(Database, ref);
      await client.waitForDeletion(Database, ref, within);
      expect(await server.listDatabases(sqlName(namespace, "app"))).toEqual([sqlName(namespace, "shop")]);
      await client.create(Database, { metadata: ref, spec: { owner: "app" } });
      await client.waitFor(Database, ref, hasCondition("Ready"), within);
    });

    test("what the operator has not created is left alone", async ({ client, namespace }) => {
      const { addForeign, server } = await getServer();
      await addForeign(sqlName(namespace, "taken"));
      const ref = { name: "taken", namespace };
      await client.create(User, { metadata: ref, spec: {} });
      const user = await client.waitFor(User, ref, (user) => readyOf(user)?.status === "False", within);
      expect(readyOf(user)).toMatchObject({ reason: "AlreadyExists", message: expect.stringContaining("has not created it") });
      await createBoth(client, namespace);
      await client.create(Database, { metadata: ref, spec: { owner: "app" } });
      await client.waitFor(Database, ref, (database) => readyOf(database)?.reason === "AlreadyExists", within);
      await client.delete(Database, ref);
      await client.waitForDeletion(Database, ref, within);
      expect(await server.listDatabases("postgres")).toContain(sqlName(namespace, "taken"));
    });

    test("an unreachable server is a condition until it is back", async ({ client, namespace }) => {
      const { start, stop } = await getServer();
      await createBoth(client, namespace);
      const ref = { name: "app", namespace };
      await stop();
      await client.patch(User, ref, { merge: { spec: { connectionLimit: 5 } } });
      const user = await client.waitFor(User, ref, (user) => readyOf(user)?.reason === "ServerUnreachable", within);
      expect(readyOf(user)).toMatchObject({ status: "False", message: expect.stringMatching(/could not reach PostgreSQL at .*: .+/) });
      const database = { name: "shop", namespace };
      await client.delete(Database, database);
      await client.waitFor(Database, database, (each) => readyOf(each)?.reason === "ServerUnreachable", within);
      await start();
      await client.waitFor(User, ref, hasCondition("Ready"), within);
      await client.waitForDeletion(Database, database, within);
    });
  });
}
