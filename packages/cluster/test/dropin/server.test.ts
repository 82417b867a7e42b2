import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { createClient } from "pintle/client";
import { Pod, Service } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.ts";
import { startEtcdServer } from "../../src/dropin/etcd/etcd-server.ts";
import { createObjectHolder } from "../../src/dropin/etcd/object-holder.ts";
import { FLAGS } from "../../src/dropin/generated/kube-apiserver-flags.ts";
import { buildClusterOptions } from "../../src/dropin/kube-apiserver/cluster-options.ts";
import { parseFlags } from "../../src/dropin/kube-apiserver/flags.ts";
import { parseServerSettings } from "../../src/dropin/kube-apiserver/server-settings.ts";

let folder: string;
let words: readonly string[];
let url: string;
let cluster: Cluster;
let closeEtcd: () => void;

const start = () => startCluster(buildClusterOptions(parseServerSettings(parseFlags(words, FLAGS)), Date.now()));

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "pintle-server-"));
  const file = (name: string) => path.join(folder, name);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(file("account.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(file("account.pub"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(file("tokens.csv"), 'secret,ana,1,"system:masters,readers"\nweak,ben,2\n');
  const etcd = await startEtcdServer(new URL("http://127.0.0.1:0"), createObjectHolder(), undefined);
  closeEtcd = () => void etcd.close();
  const port = await freePort();
  url = `https://127.0.0.1:${port}`;
  words = [
    `--etcd-servers=http://127.0.0.1:${(etcd.address() as AddressInfo).port}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${file("certs")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    `--service-account-issuer=${url}/`,
    `--service-account-key-file=${file("account.pub")}`,
    `--service-account-signing-key-file=${file("account.key")}`,
    "--service-cluster-ip-range=10.3.0.0/28",
    "--authorization-mode=RBAC",
    "--anonymous-auth=false",
    "--disable-admission-plugins=ServiceAccount",
  ];
  cluster = await start();
});
afterAll(async () => {
  await cluster.stop();
  closeEtcd();
  rmSync(folder, { recursive: true });
});

interface DropinResponse {
  readonly status: number;
  readonly body: any;
}

/** Sends a request over HTTPS, with the self-signed certificate of the server. */
function sendRequest(method: string, at: string, token?: string, body?: object): Promise<DropinResponse> {
  const ca = readFileSync(path.join(folder, "certs/apiserver.crt"), "utf8");
  const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(at, url), { method, headers, ca, agent: false }, (response) => {
      json(response).then((value) => resolve({ status: response.statusCode ?? 0, body: value }), reject);
    });
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

test("allocates cluster IPs from the range, with the first for the API server", async () => {
  const client = createClient(cluster.transport);
  expect((await client.get(Service, { namespace: "default", name: "kubernetes" })).spec.clusterIP).toBe("10.3.0.1");
  const created = await client.create(Service, { metadata: { namespace: "default", name: "web" }, spec: { ports: [{ port: 80 }] } });
  expect(created.spec.clusterIP).toMatch(/^10\.3\.0\.\d+$/);
});

test("refuses privileged pods without --allow-privileged", async () => {
  const client = createClient(cluster.transport);
  const pod = {
    metadata: { namespace: "default", name: "p" },
    spec: { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] },
  };
  await expect(client.create(Pod, pod)).rejects.toThrow(
    "spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy",
  );
});

test("authenticates the users of the token file, and refuses requests without a token", async () => {
  expect((await sendRequest("GET", "/api")).status).toBe(401);
  expect((await sendRequest("GET", "/api/v1/secrets", "secret")).status).toBe(200);
  const refused = await sendRequest("GET", "/api/v1/secrets", "weak");
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('User "ben" cannot list resource "secrets"') } });
});

test("signs service account tokens with the key of the flag", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await sendRequest("POST", accounts, "secret", { metadata: { name: "robot" } });
  const { body } = await sendRequest("POST", `${accounts}/robot/token`, "secret", { spec: {} });
  const [head, claims] = body.status.token.split(".").map((part: string) => Buffer.from(part, "base64url").toString());
  expect(JSON.parse(head)).toMatchObject({ alg: "RS256" });
  expect(JSON.parse(claims)).toMatchObject({ iss: `${url}/`, aud: [`${url}/`] });
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const reviewed = await sendRequest("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body.status.token, review);
  expect(reviewed.body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
  const keys = await sendRequest("GET", "/openid/v1/jwks", "secret");
  expect(keys.body.keys).toMatchObject([{ kty: "RSA", alg: "RS256" }]);
});

test("accepts tokens in Secrets while the Secret exists", async () => {
  const namespace = "/api/v1/namespaces/default";
  const account = await sendRequest("POST", `${namespace}/serviceaccounts`, "secret", { metadata: { name: "old" } });
  const claims = {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "default",
    "kubernetes.io/serviceaccount/secret.name": "old-token",
    "kubernetes.io/serviceaccount/service-account.name": "old",
    "kubernetes.io/serviceaccount/service-account.uid": account.body.metadata.uid,
    sub: "system:serviceaccount:default:old",
  };
  const content = [{ alg: "RS256" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = sign("sha256", Buffer.from(content), readFileSync(path.join(folder, "account.key"), "utf8")).toString("base64url");
  const token = `${content}.${signature}`;
  const secret = { metadata: { name: "old-token" }, data: { token: Buffer.from(token).toString("base64") } };
  expect((await sendRequest("GET", "/api", token)).status).toBe(401);
  await sendRequest("POST", `${namespace}/secrets`, "secret", secret);
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const reviewed = await sendRequest("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", token, review);
  expect(reviewed.body.status.userInfo.username).toBe("system:serviceaccount:default:old");
  await sendRequest("DELETE", `${namespace}/secrets/old-token`, "secret");
  expect((await sendRequest("GET", "/api", token)).status).toBe(401);
});

test("restores all objects and the certificate after a restart", async () => {
  const before = await sendRequest("GET", "/api/v1/namespaces/default", "secret");
  const certificate = readFileSync(path.join(folder, "certs/apiserver.crt"), "utf8");
  await cluster.stop();
  cluster = await start();
  expect(await sendRequest("GET", "/api/v1/namespaces/default", "secret")).toEqual(before);
  expect(readFileSync(path.join(folder, "certs/apiserver.crt"), "utf8")).toBe(certificate);
});

test("the drop-in etcd refuses requests of web pages", async () => {
  const etcd = await startEtcdServer(new URL("http://127.0.0.1:0"), createObjectHolder(), undefined);
  const get = (headers: Readonly<Record<string, string>>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = etcd.address() as AddressInfo;
      const sent = httpRequest({ host: "127.0.0.1", port, path: "/version", headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("upgrade", (_, socket) => socket.destroy()).on("error", reject);
      sent.end();
    });
  const upgrade = { connection: "Upgrade", upgrade: "pintle-objects" };
  expect(await get({})).toBe(200);
  expect(await get({ host: "evil.com" })).toBe(403);
  expect(await get({ origin: "http://evil.com" })).toBe(403);
  expect(await get({ ...upgrade, origin: "http://evil.com" })).toBe(403);
  expect(await get({ ...upgrade, host: "evil.com" })).toBe(403);
  etcd.close();
});
