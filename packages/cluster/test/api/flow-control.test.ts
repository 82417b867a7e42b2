import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { CONFIG_MAPS } from "./harness.ts";

const FLOW_SCHEMA_UID = "x-kubernetes-pf-flowschema-uid";
const PRIORITY_LEVEL_UID = "x-kubernetes-pf-prioritylevel-uid";
const FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1";

const AUTHENTICATED = "system:authenticated";
const USERS = {
  admin: { name: "admin", groups: ["system:masters", AUTHENTICATED] },
  bob: { name: "bob", groups: [AUTHENTICATED] },
  account: { name: "system:serviceaccount:default:a", groups: ["system:serviceaccounts", "system:serviceaccounts:default", AUTHENTICATED] },
  systemAccount: { name: "system:serviceaccount:kube-system:a", groups: ["system:serviceaccounts", AUTHENTICATED] },
  node: { name: "system:node:n", groups: ["system:nodes", AUTHENTICATED] },
  scheduler: { name: "system:kube-scheduler", groups: [AUTHENTICATED] },
};

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ without: true, limits: { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 5 } });
});
afterAll(() => cluster.stop());

const send = (user: keyof typeof USERS, path: string, more: { method?: string; body?: object; query?: Record<string, string> } = {}) =>
  cluster.transportAs(USERS[user]).request({ method: "GET", path, ...more } as never);

/** Returns the names of the flow schema and the priority level that the headers of a response name. */
async function getFlow(headers: Readonly<Record<string, unknown>>): Promise<readonly (string | undefined)[]> {
  const nameOf = async (plural: string, uid: unknown) => {
    const list = (await (await send("admin", `${FLOW_CONTROL}/${plural}`)).json()) as any;
    return list.items.find((each: any) => each.metadata.uid === uid)?.metadata.name as string | undefined;
  };
  return [await nameOf("flowschemas", headers[FLOW_SCHEMA_UID]), await nameOf("prioritylevelconfigurations", headers[PRIORITY_LEVEL_UID])];
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

describe("the headers of a response name its flow schema and priority level", () => {
  test.each([
    ["admin", CONFIG_MAPS, ["exempt", "exempt"]],
    ["bob", "/readyz", ["probes", "exempt"]],
    ["bob", "/nowhere", ["global-default", "global-default"]],
    ["bob", CONFIG_MAPS, ["global-default", "global-default"]],
    ["account", CONFIG_MAPS, ["service-accounts", "workload-low"]],
    ["systemAccount", CONFIG_MAPS, ["kube-system-service-accounts", "workload-high"]],
    ["systemAccount", `${LEASES}/a`, ["system-leader-election", "leader-election"]],
    ["node", "/api/v1/nodes/n", ["system-node-high", "node-high"]],
    ["node", CONFIG_MAPS, ["system-nodes", "system"]],
    ["scheduler", CONFIG_MAPS, ["kube-scheduler", "workload-high"]],
  ] as const)("%s: GET %s", async (user, path, flow) => {
    expect(await getFlow((await send(user, path)).headers)).toEqual(flow);
  });

  test("also for errors and watches, but not for streams to nodes", async () => {
    expect(await getFlow((await send("account", CONFIG_MAPS)).headers)).toEqual(["service-accounts", "workload-low"]);
    const stopped = new AbortController();
    const watch = await cluster.transport.request({ method: "GET", path: CONFIG_MAPS, query: { watch: "1" }, signal: stopped.signal });
    expect(watch.headers[FLOW_SCHEMA_UID]).toBeDefined();
    stopped.abort();
    expect((await send("admin", "/api/v1/namespaces/default/pods/x/log")).headers[FLOW_SCHEMA_UID]).toBeUndefined();
  });
});

describe("flow control follows the objects of the cluster", () => {
  const schema = (name: string, level: string) => ({
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: 500,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "bob" } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
        },
      ],
    },
  });

  test("a created flow schema classifies requests, one without priority level does not", async () => {
    await send("admin", `${FLOW_CONTROL}/flowschemas`, { method: "POST", body: schema("dangling", "nowhere") });
    expect(await getFlow((await send("bob", CONFIG_MAPS)).headers)).toEqual(["global-default", "global-default"]);
    await send("admin", `${FLOW_CONTROL}/flowschemas`, { method: "POST", body: schema("bobs", "system") });
    expect(await getFlow((await send("bob", CONFIG_MAPS)).headers)).toEqual(["bobs", "system"]);
    for (const name of ["dangling", "bobs"]) await send("admin", `${FLOW_CONTROL}/flowschemas/${name}`, { method: "DELETE" });
    expect(await getFlow((await send("bob", CONFIG_MAPS)).headers)).toEqual(["global-default", "global-default"]);
  });

  test("a level without a free seat answers 429 with Retry-After, while others go on", async () => {
    const level = {
      metadata: { name: "narrow" },
      spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
    };
    await send("admin", `${FLOW_CONTROL}/prioritylevelconfigurations`, { method: "POST", body: level });
    await send("admin", `${FLOW_CONTROL}/flowschemas`, { method: "POST", body: schema("narrow", "narrow") });
    const responses = await Promise.all(Array.from({ length: 5 }, () => send("bob", CONFIG_MAPS)));
    expect(responses.map(({ status }) => status)).toEqual([403, 429, 429, 429, 429]);
    const rejected = responses[1]!;
    expect(await getFlow(rejected.headers)).toEqual(["narrow", "narrow"]);
    expect(rejected.headers).toMatchObject({ "retry-after": "1", "content-type": "text/plain; charset=utf-8" });
    let text = "";
    for await (const chunk of rejected.bytes()) text += Buffer.from(chunk).toString();
    expect(text).toBe("Too many requests, please try again later.\n");
    expect((await send("account", CONFIG_MAPS)).status).toBe(403);
    expect((await send("bob", CONFIG_MAPS)).status).toBe(403);
  });
});
