import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { systemClock } from "pintle/internal/clock";
import { type CertificateAuthority, type CertificateKeyPair, createCertificateAuthority } from "pintle/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenHttps } from "../../packages/cluster/src/api/index.ts";
import { startControlPlane } from "../real/index.ts";

const YEARS = 20 * 365 * 24 * 3600 * 1000;
const SELF_SUBJECT_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/** An API server whose client certificate authority is known to the test. */
interface CredentialServer {
  readonly url: string;
  readonly trusted: CertificateAuthority;
  /** Issues client certificates that have expired. */
  readonly expired: CertificateAuthority;
  /** The private key that signs service account tokens, where it is accessible. */
  readonly tokenKey?: string;
  stop(): Promise<void>;
}

let servers: readonly CredentialServer[];
const untrustedAuthority = createCertificateAuthority("untrusted", Date.now());
beforeAll(async () => {
  servers = await Promise.all([startRealServer(), startEmbeddedServer()]);
  for (const server of servers) {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ops" };
    const admin = issueCertificate(server, "admin", "system:masters");
    await sendRequest(server, { pair: admin, method: "POST", path: `${roles}/roles`, body: { metadata: { name: "ops" }, rules } });
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ops" }];
    await sendRequest(server, {
      pair: admin,
      method: "POST",
      path: `${roles}/rolebindings`,
      body: { metadata: { name: "ops" }, roleRef, subjects },
    });
    const jane = issueCertificate(server, "jane", "ops");
    // The RBAC authorizer of kube-apiserver follows roles through a watch, with a short delay.
    while ((await sendRequest(server, { pair: jane, path: CONFIG_MAPS })).code !== 200) await delay(50);
  }
});
afterAll(async () => {
  for (const agent of agents.values()) agent.destroy();
  await Promise.all((servers ?? []).map((server) => server.stop()));
});

const issueCertificate = ({ trusted }: CredentialServer, commonName: string, ...organizations: string[]) =>
  trusted.issueClientCertificate({ commonName, organizations });

describe("a request authenticated with a client certificate", () => {
  const cases: readonly (readonly [title: string, ask: (server: CredentialServer) => RequestSpec])[] = [
    ["of a user without roles", (server) => ({ pair: issueCertificate(server, "jane"), path: CONFIG_MAPS })],
    [
      "of the group system:masters",
      (server) => ({ pair: issueCertificate(server, "jane", "system:masters"), path: "/api/v1/namespaces/default" }),
    ],
    ["of two groups, one of which is allowed", (server) => ({ pair: issueCertificate(server, "jane", "dev", "ops"), path: CONFIG_MAPS })],
    ["of two groups, none of which is allowed", (server) => ({ pair: issueCertificate(server, "jane", "dev", "qa"), path: CONFIG_MAPS })],
    [
      "of two groups, for a SelfSubjectReview",
      (server) => ({ pair: issueCertificate(server, "jane", "dev", "ops"), method: "POST", path: SELF_SUBJECT_REVIEWS, body: {} }),
    ],
    ["with an invalid token", (server) => ({ pair: issueCertificate(server, "jane"), token: "nonsense", path: CONFIG_MAPS })],
    [
      "that has expired",
      ({ expired }) => ({
        pair: expired.issueClientCertificate({ commonName: "jane", organizations: ["system:masters"] }),
        path: CONFIG_MAPS,
      }),
    ],
    [
      "that has expired, for a public path",
      ({ expired }) => ({ pair: expired.issueClientCertificate({ commonName: "jane", organizations: [] }), path: "/livez" }),
    ],
    [
      "of another authority",
      () => ({
        pair: untrustedAuthority.issueClientCertificate({ commonName: "jane", organizations: ["system:masters"] }),
        path: CONFIG_MAPS,
      }),
    ],
    [
      "of another authority, with an invalid token",
      () => ({
        pair: untrustedAuthority.issueClientCertificate({ commonName: "jane", organizations: [] }),
        token: "nonsense",
        path: CONFIG_MAPS,
      }),
    ],
    [
      "of a server",
      ({ trusted }) => ({
        pair: trusted.issueServerCertificate({ commonName: "jane", organizations: ["system:masters"] }, ["localhost"]),
        path: CONFIG_MAPS,
      }),
    ],
    ["missing", () => ({ path: CONFIG_MAPS })],
    ["missing, for a public path", () => ({ path: "/livez" })],
    ["missing, with an invalid token", () => ({ token: "nonsense", path: CONFIG_MAPS })],
    ["missing, with a malformed JWT", () => ({ token: "a.b.c", path: "/livez" })],
  ];
  test.each(cases)("%s", async (_, buildRequest) => {
    const [theirs, ours] = await Promise.all(servers.map((server) => sendRequest(server, buildRequest(server))));
    expect(toComparable(ours)).toEqual(toComparable(theirs));
  });
});

test("a user without roles is forbidden every verb on every resource, and changes nothing", { timeout: 120_000 }, async () => {
  const tables = await Promise.all(servers.map(collectRefusals));
  const [theirs, ours] = tables as [Refusals, Refusals];
  expect(Object.keys(theirs.responses).length).toBeGreaterThan(200);
  for (const [deed, answer] of Object.entries(theirs.responses)) expect(ours.responses[deed], deed).toEqual(answer);
  expect(Object.entries(ours.responses).filter(([, { code }]) => code !== 403)).toEqual([]);
  expect(ours.after).toBe(ours.before);
});

interface Refusals {
  readonly responses: Readonly<Record<string, { readonly code: number }>>;
  /** All objects of kinds that no controller writes. */
  readonly before: string;
  readonly after: string;
}

/** Review APIs, which every authenticated user may call. */
const REVIEW_GROUPS = /\/(authentication|authorization)\.k8s\.io\//;
const STREAMS = /\/(attach|exec|log|portforward|proxy)$/;

/** Requests every verb of every resource as a user without roles. */
async function collectRefusals(server: CredentialServer): Promise<Refusals> {
  const admin = issueCertificate(server, "admin", "system:masters");
  const eve = issueCertificate(server, "eve");
  const get = async (path: string) => (await sendRequest(server, { pair: admin, path })).body;
  const readObjects = async () =>
    JSON.stringify([
      await get("/api/v1/namespaces"),
      await get("/api/v1/configmaps"),
      await get("/apis/rbac.authorization.k8s.io/v1/clusterroles"),
    ]);
  const groups = ((await get("/apis")).groups as any[]).map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`);
  const responses: Record<string, ResponseData> = {};
  const before = await readObjects();
  for (const root of ["/api/v1", ...groups]) {
    if (REVIEW_GROUPS.test(root)) continue;
    for (const { name, namespaced, verbs } of (await get(root)).resources) {
      if (STREAMS.test(name)) continue;
      const [plural, part = ""] = name.split("/");
      const all = `${root}${namespaced ? "/namespaces/default" : ""}/${plural}`;
      for (const verb of verbs as readonly string[]) {
        responses[`${verb} ${root} ${name}`] = await sendRequest(server, {
          ...REQUESTS_BY_VERB[verb],
          pair: eve,
          path: pathOf(verb, all, part),
        });
      }
    }
  }
  return { responses: responses as never, before, after: await readObjects() };
}

function pathOf(verb: string, all: string, part: string): string {
  if (verb === "watch") return `${all}?watch=1`;
  if (part !== "") return `${all}/x/${part}`;
  return ["list", "create", "deletecollection"].includes(verb) ? all : `${all}/x`;
}

const REQUESTS_BY_VERB: Readonly<Record<string, Omit<RequestSpec, "path">>> = {
  create: { method: "POST", body: {} },
  update: { method: "PUT", body: {} },
  patch: { method: "PATCH", body: {}, type: "application/merge-patch+json" },
  delete: { method: "DELETE" },
  deletecollection: { method: "DELETE" },
};

test("an expired service account token is unauthorized", async () => {
  const [real] = servers as [CredentialServer];
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
  const theirs = await sendRequest(real, { token: `${unsigned}.${signature}`, method: "POST", path: SELF_SUBJECT_REVIEWS, body: {} });

  const { transport } = cluster;
  await transport.request({ method: "POST", path: "/api/v1/namespaces/default/serviceaccounts", body: { metadata: { name: "x" } } });
  const issuedToken = await transport.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/x/token",
    body: { spec: { expirationSeconds: 600 } },
  });
  const { token } = ((await issuedToken.json()) as any).status;
  const reviewSelf = () => sendRequest({ url: cluster.url }, { token, method: "POST", path: SELF_SUBJECT_REVIEWS, body: {} });
  expect((await reviewSelf()).code).toBe(201);
  ahead = 700_000;
  expect(toComparable(await reviewSelf())).toEqual(toComparable(theirs));
});

interface RequestSpec {
  readonly pair?: CertificateKeyPair;
  readonly token?: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}
interface ResponseData {
  readonly code: number;
  readonly body: any;
}

/** One agent per server and certificate. */
const agents = new Map<string, Agent>();
function getAgent(url: string, pair: CertificateKeyPair | undefined, open: () => Agent): Agent {
  const id = `${url} ${pair?.certificate}`;
  const agent = agents.get(id) ?? open();
  agents.set(id, agent);
  return agent;
}

function sendRequest(
  { url }: Pick<CredentialServer, "url">,
  { pair, token, method = "GET", path, body, type = "application/json" }: RequestSpec,
): Promise<ResponseData> {
  const keys = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const headers = {
    "content-type": type,
    "content-length": String(bytes.length),
    "user-agent": "test",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const agent = getAgent(url, pair, () => new Agent({ ...keys, keepAlive: true, rejectUnauthorized: false, maxCachedSessions: 0 }));
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { method, agent, headers })
      .on("response", (response) => {
        text(response).then((answer) => resolve({ code: response.statusCode ?? 0, body: parseBody(answer) }), reject);
      })
      .on("error", reject)
      .end(bytes);
  });
}

function parseBody(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

/** Removes server-specific values. */
function toComparable(answer: ResponseData | undefined): unknown {
  const masked = JSON.stringify(answer, (key, value) =>
    ["uid", "resourceVersion", "creationTimestamp", "managedFields"].includes(key) ? undefined : value,
  );
  return JSON.parse(masked.replaceAll(/X509SHA256=[0-9a-f]+/g, "X509SHA256=<digest>"));
}

async function startRealServer(): Promise<CredentialServer> {
  const plane = await startControlPlane({ controllerManager: false });
  const file = (name: string) => readFile(join(plane.dir, "pki", name), "utf8");
  const previousCa = { certificate: await file("ca.crt"), key: await file("ca.key") };
  const subject = "pintle real control plane";
  return {
    url: plane.server,
    trusted: createCertificateAuthority(subject, Date.now(), previousCa),
    expired: createCertificateAuthority(subject, Date.now() - YEARS, previousCa),
    tokenKey: await file("sa.key"),
    stop: () => plane.stop(),
  };
}

async function startEmbeddedServer(): Promise<CredentialServer> {
  const trusted = createCertificateAuthority("test", Date.now());
  const cluster = await startCluster({ without: true });
  const keys = trusted.issueServerCertificate({ commonName: "kube-apiserver", organizations: [] }, ["127.0.0.1"]);
  const tokens = { authenticate: async () => undefined };
  const listener = await listenHttps(cluster.server, { host: "127.0.0.1", port: 0, keys, clientAuthority: trusted.certificate, tokens });
  return {
    url: `https://127.0.0.1:${listener.port}`,
    trusted,
    expired: createCertificateAuthority("test", Date.now() - YEARS, trusted),
    async stop() {
      await listener.close();
      await cluster.stop();
    },
  };
}
