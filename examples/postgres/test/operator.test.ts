import { Secret } from "pintle/kinds/core/v1";
import { objectFixture, simulate } from "pintle/testing";
import { describe, expect, test } from "vitest";
import { databaseController } from "../src/database-controller.ts";
import { Database, User } from "../src/resources.ts";
import { userController } from "../src/user-controller.ts";
import { createFakeServer } from "./fake-server.ts";
import { describeOperator } from "./operator-contract.ts";
import { describeServer } from "./server-contract.ts";

const namespace = "shop";
const user = User.desired({ metadata: { name: "app", namespace }, spec: {} });

describe("a User", () => {
  test("has a role with the password of its Secret, which is generated once", async () => {
    const server = createFakeServer();
    const simulation = await simulate(userController(server), [user]);
    const ref = { name: "app-credentials", namespace };
    const data = simulation.get(Secret, ref)?.data;
    expect(Buffer.from(data?.["PGPASSWORD"] ?? "", "base64").toString()).toBe(server.roles.get("shop_app")?.password);
    await simulation.put(objectFixture(User, "app", { metadata: { namespace }, spec: { connectionLimit: 3 } }));
    expect(simulation.get(Secret, ref)?.data).toEqual(data);
    expect(server.roles.get("shop_app")?.connectionLimit).toBe(3);
    expect(simulation.events).toMatchObject([{ reason: "RoleCreated", message: "created the role shop_app" }]);
  });

  test("gets its role again if it was dropped by hand", async () => {
    const server = createFakeServer();
    const simulation = await simulate(userController(server), [user]);
    server.roles.clear();
    await simulation.advance(600_000);
    expect([...server.roles.keys()]).toEqual(["shop_app"]);
  });

  test("whose role would have too long a name fails for good", async () => {
    const long = User.desired({ metadata: { name: "a".repeat(60), namespace }, spec: {} });
    await expect(simulate(userController(createFakeServer()), [long])).rejects.toThrow("longer than the 63 characters");
  });
});

describe("a Database", () => {
  const database = Database.desired({ metadata: { name: "orders", namespace }, spec: { owner: "app" } });

  test("waits for its owner", async () => {
    const server = createFakeServer();
    const simulation = await simulate(databaseController(server), [database]);
    const ready = () => simulation.get(Database, { name: "orders", namespace })?.status?.conditions?.[0];
    expect(ready()).toMatchObject({ status: "False", reason: "OwnerNotReady", message: "waiting for the User app" });
    await server.ensureRole("shop_app", { password: "a", connectionLimit: -1 });
    const status = { conditions: [{ type: "Ready" as const, status: "True" as const }] };
    await simulation.put(objectFixture(User, "app", { metadata: { namespace }, status }));
    expect(ready()).toMatchObject({ status: "True" });
    expect(server.databases).toEqual(new Map([["shop_orders", "shop_app"]]));
  });
});

describeServer("the fake server", async () => {
  const server = createFakeServer();
  server.addForeign("foreign");
  return server;
});

describeOperator("the operator with the fake server", async () => {
  const server = createFakeServer();
  return {
    server,
    canLogIn: async (role, password) => server.roles.get(role)?.password === password,
    addForeign: async (name) => server.addForeign(name),
    async stop() {
      server.isReachable = false;
    },
    async start() {
      server.isReachable = true;
    },
  };
});
