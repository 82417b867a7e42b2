import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { systemClock } from "pintle/queue";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenSecurely } from "../../packages/cluster/src/api/index.ts";
import { type Authority, authority, type KeyPair } from "../../packages/cluster/src/tls/index.ts";
import { startControlPlane } from "../real/index.ts";

const YEARS = 20 * 365 * 24 * 3600 * 1000;
const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/** A server that trusts the authority whose keys it was given. */
interface Side {
  readonly url: string;
  readonly trusted: Authority;
  /** Certificates that were good long ago. */
  readonly expired: Authority;
  /** What it signs tokens with, where that can be known. */
  readonly tokenKey?: string;
  stop(): Promise<void>;
}

let sides: readonly Side[];
const foreign = authority("somebody else", Date.now());
beforeAll(async () => {
  sides = await Promise.all([realSide(), ourSide()]);
  for (const side of sides) {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ops" };
    const admin = certificate(side, "admin", "system:masters");
    await ask(side, { pair: admin, method: "POST", path: `${roles}/roles`, body: { metadata: { name: "ops" }, rules } });
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ops" }];
    await ask(side, { pair: admin, method: "POST", path: `${roles}/rolebindings`, body: { metadata: { name: "ops" }, roleRef, subjects } });
    const jane = certificate(side, "jane", "ops");
    // A real authorizer takes a moment to hear of roles.
    while ((await ask(side, { pair: jane, path: CONFIG_MAPS })).code !== 200) await delay(50);
  }
});
afterAll(async () => {
  for (const agent of agents.values()) agent.destroy();
  await Promise.all((sides ?? []).map((side) => side.stop()));
});

const certificate = ({ trusted }: Side, commonName: string, ...organizations: string[]) => trusted.client({ commonName, organizations });

describe("who shows a certificate", () => {
  const cases: readonly (readonly [title: string, ask: (side: Side) => Asked])[] = [
    ["of nobody in particular", (side) => ({ pair: certificate(side, "jane"), path: CONFIG_MAPS })],
    ["of a master", (side) => ({ pair: certificate(side, "jane", "system:masters"), path: "/api/v1/namespaces/default" })],
    ["of two groups, one of which may", (side) => ({ pair: certificate(side, "jane", "dev", "ops"), path: CONFIG_MAPS })],
    ["of two groups, none of which may", (side) => ({ pair: certificate(side, "jane", "dev", "qa"), path: CONFIG_MAPS })],
    ["is asked who it is", (side) => ({ pair: certificate(side, "jane", "dev", "ops"), method: "POST", path: WHO, body: {} })],
    ["with a token of nobody", (side) => ({ pair: certificate(side, "jane"), token: "nonsense", path: CONFIG_MAPS })],
    [
      "that was good once",
      ({ expired }) => ({ pair: expired.client({ commonName: "jane", organizations: ["system:masters"] }), path: CONFIG_MAPS }),
    ],
    [
      "that was good once, for a page that all may see",
      ({ expired }) => ({ pair: expired.client({ commonName: "jane", organizations: [] }), path: "/livez" }),
    ],
    [
      "of another authority",
      () => ({ pair: foreign.client({ commonName: "jane", organizations: ["system:masters"] }), path: CONFIG_MAPS }),
    ],
    [
      "of another authority, with a token of nobody",
      () => ({ pair: foreign.client({ commonName: "jane", organizations: [] }), token: "nonsense", path: CONFIG_MAPS }),
    ],
    [
      "of a server",
      ({ trusted }) => ({
        pair: trusted.server({ commonName: "jane", organizations: ["system:masters"] }, ["localhost"]),
        path: CONFIG_MAPS,
      }),
    ],
    ["not at all", () => ({ path: CONFIG_MAPS })],
    ["not at all, for a page that all may see", () => ({ path: "/livez" })],
    ["not at all, but a token of nobody", () => ({ token: "nonsense", path: CONFIG_MAPS })],
    ["not at all, but half a token", () => ({ token: "a.b.c", path: "/livez" })],
  ];
  test.each(cases)("%s", async (_, asked) => {
    const [theirs, ours] = await Promise.all(sides.map((side) => ask(side, asked(side))));
    expect(comparable(ours)).toEqual(comparable(theirs));
  });
});

test("whoever has no right reads nothing and changes nothing, of any resource there is", { timeout: 120_000 }, async () => {
  const tables = await Promise.all(sides.map(refusals));
  const [theirs, ours] = tables as [Refusals, Refusals];
  expect(Object.keys(theirs.answers).length).toBeGreaterThan(200);
  for (const [deed, answer] of Object.entries(theirs.answers)) expect(ours.answers[deed], deed).toEqual(answer);
  expect(Object.entries(ours.answers).filter(([, { code }]) => code !== 403)).toEqual([]);
  expect(ours.after).toBe(ours.before);
});

interface Refusals {
  readonly answers: Readonly<Record<string, { readonly code: number }>>;
  /** All objects of the kinds that nobody else writes. */
  readonly before: string;
  readonly after: string;
}

/** Which are everybody's. */
const QUESTIONS = /\/(authentication|authorization)\.k8s\.io\//;
const STREAMS = /\/(attach|exec|log|portforward|proxy)$/;

/** Every verb of every resource, by somebody whom no role names. */
async function refusals(side: Side): Promise<Refusals> {
  const admin = certificate(side, "admin", "system:masters");
  const eve = certificate(side, "eve");
  const get = async (path: string) => (await ask(side, { pair: admin, path })).body;
  const held = async () =>
    JSON.stringify([
      await get("/api/v1/namespaces"),
      await get("/api/v1/configmaps"),
      await get("/apis/rbac.authorization.k8s.io/v1/clusterroles"),
    ]);
  const groups = ((await get("/apis")).groups as any[]).map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  const answers: Record<string, Answer> = {};
  const before = await held();
  for (const root of ["/api/v1", ...groups]) {
    if (QUESTIONS.test(root)) continue;
    for (const { name, namespaced, verbs } of (await get(root)).resources) {
      if (STREAMS.test(name)) continue;
      const [plural, part = ""] = name.split("/");
      const all = `${root}${namespaced ? "/namespaces/default" : ""}/${plural}`;
      for (const verb of verbs as readonly string[]) {
        answers[`${verb} ${root} ${name}`] = await ask(side, { ...DEEDS[verb], pair: eve, path: pathOf(verb, all, part) });
      }
    }
  }
  return { answers: answers as never, before, after: await held() };
}

function pathOf(verb: string, all: string, part: string): string {
  if (verb === "watch") return `${all}?watch=1`;
  if (part !== "") return `${all}/x/${part}`;
  return ["list", "create", "deletecollection"].includes(verb) ? all : `${all}/x`;
}

const DEEDS: Readonly<Record<string, Omit<Asked, "path">>> = {
  create: { method: "POST", body: {} },
  update: { method: "PUT", body: {} },
  patch: { method: "PATCH", body: {}, type: "application/merge-patch+json" },
  delete: { method: "DELETE" },
  deletecollection: { method: "DELETE" },
};

test("a token whose time is over is nobody's", async () => {
  const [real] = sides as [Side];
  let ahead = 0;
  await using cluster = await startCluster({ without: true, http: true, clock: { ...systemClock, now: () => systemClock.now() + ahead } });
  const key = createPrivateKey(real.tokenKey as string);
  const seconds = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: "https://kubernetes.default.svc",
    aud: ["https://kubernetes.default.svc"],
    sub: "system:serviceaccount:default:x",
    iat: seconds - 800,
    nbf: seconds - 800,
    exp: seconds - 100,
  };
  const unsigned = `${part({ alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(unsigned), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  const theirs = await ask(real, { token: `${unsigned}.${signature}`, method: "POST", path: WHO, body: {} });

  const { transport } = cluster;
  await transport.request({ method: "POST", path: "/api/v1/namespaces/default/serviceaccounts", body: { metadata: { name: "x" } } });
  const given = await transport.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/x/token",
    body: { spec: { expirationSeconds: 600 } },
  });
  const { token } = ((await given.json()) as any).status;
  const who = () => ask({ url: cluster.url }, { token, method: "POST", path: WHO, body: {} });
  expect((await who()).code).toBe(201);
  ahead = 700_000;
  expect(comparable(await who())).toEqual(comparable(theirs));
});

interface Asked {
  readonly pair?: KeyPair;
  readonly token?: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}
interface Answer {
  readonly code: number;
  readonly body: any;
}

/** One per server and certificate. */
const agents = new Map<string, Agent>();
function connection(url: string, pair: KeyPair | undefined, open: () => Agent): Agent {
  const id = `${url} ${pair?.certificate}`;
  const agent = agents.get(id) ?? open();
  agents.set(id, agent);
  return agent;
}

function ask({ url }: Pick<Side, "url">, { pair, token, method = "GET", path, body, type = "application/json" }: Asked): Promise<Answer> {
  const keys = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const headers = {
    "content-type": type,
    "content-length": String(bytes.length),
    "user-agent": "test",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const agent = connection(url, pair, () => new Agent({ ...keys, keepAlive: true, rejectUnauthorized: false, maxCachedSessions: 0 }));
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { method, agent, headers })
      .on("response", (response) => {
        text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: parsed(answer) }), reject);
      })
      .on("error", reject)
      .end(bytes);
  });
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

/** Without what no two servers say alike. */
function comparable(answer: Answer | undefined): unknown {
  const masked = JSON.stringify(answer, (key, value) =>
    ["uid", "resourceVersion", "creationTimestamp", "managedFields"].includes(key) ? undefined : value,
  );
  return JSON.parse(masked.replaceAll(/X509SHA256=[0-9a-f]+/g, "X509SHA256=<digest>"));
}

async function realSide(): Promise<Side> {
  const plane = await startControlPlane({ controllerManager: false });
  const file = (name: string) => readFile(join(plane.dir, "pki", name), "utf8");
  const kept = { certificate: await file("ca.crt"), key: await file("ca.key") };
  const subject = "pintle real control plane";
  return {
    url: plane.server,
    trusted: authority(subject, Date.now(), kept),
    expired: authority(subject, Date.now() - YEARS, kept),
    tokenKey: await file("sa.key"),
    stop: () => plane.stop(),
  };
}

async function ourSide(): Promise<Side> {
  const trusted = authority("test", Date.now());
  const cluster = await startCluster({ without: true });
  const keys = trusted.server({ commonName: "kube-apiserver", organizations: [] }, ["127.0.0.1"]);
  const tokens = { authenticate: async () => undefined };
  const listener = await listenSecurely(cluster.server, { host: "127.0.0.1", port: 0, keys, clientAuthority: trusted.certificate, tokens });
  return {
    url: `https://127.0.0.1:${listener.port}`,
    trusted,
    expired: authority("test", Date.now() - YEARS, trusted),
    async stop() {
      await listener.close();
      await cluster.stop();
    },
  };
}
