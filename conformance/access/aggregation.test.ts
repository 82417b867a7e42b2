import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AccessServer } from "./server.ts";
import { startEmbeddedServer, startRealServer } from "./servers.ts";

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const AGGREGATED = ["admin", "edit", "view"];

/** Polls the aggregated ClusterRoles of a server with controllers until the condition holds. */
async function readAggregatedRoles({ send }: AccessServer, until: (view: any) => boolean): Promise<unknown> {
  for (let tries = 0; tries < 200; tries++) {
    const roles = await Promise.all(AGGREGATED.map(async (name) => (await send({ method: "GET", path: `${ROLES}/${name}` })).body));
    if (roles.every(until)) return roles.map(toComparable);
    await delay(100);
  }
  throw new Error("the aggregated roles do not come to be what they should");
}

const toComparable = ({ metadata: { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...metadata }, ...role }: any) => ({
  ...role,
  metadata: { ...metadata, managedFields: metadata.managedFields.map(({ time: _time, ...entry }: any) => entry) },
});

test("aggregated ClusterRoles contain the same rules on both servers and follow changes of the selected roles", async () => {
  const servers = [await startRealServer({}, { controllerManager: true }), await startEmbeddedServer({}, { without: [], nodes: 0 })];
  try {
    const views = (role: any) => JSON.stringify(role.rules).includes('"pods/log"');
    const [theirs, ours] = await Promise.all(servers.map((each) => readAggregatedRoles(each, views)));
    expect(ours).toEqual(theirs);

    const more = {
      metadata: { name: "widgets-view", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
      rules: [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch"] }],
    };
    const has = (role: any) => JSON.stringify(role.rules).includes('"widgets"');
    for (const { send } of servers) expect((await send({ method: "POST", path: ROLES, body: more })).code).toBe(201);
    const [after, mine] = await Promise.all(servers.map((each) => readAggregatedRoles(each, has)));
    expect(mine).toEqual(after);

    for (const { send } of servers) await send({ method: "DELETE", path: `${ROLES}/widgets-view` });
    await Promise.all(servers.map((each) => readAggregatedRoles(each, (role) => !has(role))));
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
  }
});
