import { request as httpRequest } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Cluster, startCluster } from "../../src/index.ts";
import { CONFIG_MAPS } from "./harness.ts";

let cluster: Cluster;
let credentials: { readonly ca: string; readonly cert: string; readonly key: string };
beforeAll(async () => {
  const tokens = { secret: { name: "ana", groups: ["system:masters"] }, plain: { name: "bob", groups: [] } };
  cluster = await startCluster({ without: true, http: true, plainHttp: true, tokens });
  const config = parse(cluster.kubeconfig);
  const pem = (data: string) => Buffer.from(data, "base64").toString();
  const { user } = config.users[0];
  credentials = {
    ca: pem(config.clusters[0].cluster["certificate-authority-data"]),
    cert: pem(user["client-certificate-data"]),
    key: pem(user["client-key-data"]),
  };
});
afterAll(() => cluster.stop());

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly json: any;
}

function http1(method: string, path: string, more: RequestOptions & { body?: string | Buffer } = {}): Promise<Got> {
  const { body, ...options } = more;
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(cluster.url + path, { ...credentials, method, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes).toString() : bytes.toString();
        const isJson = response.headers["content-type"]?.startsWith("application/json");
        resolve({ status: response.statusCode!, headers: response.headers, bytes, json: isJson && text !== "" ? JSON.parse(text) : text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("authentication", () => {
  const anonymous = { cert: undefined, key: undefined } as unknown as RequestOptions;
  test("accepts a client certificate, a token, or an anonymous request", async () => {
    expect((await http1("GET", "/api/v1/namespaces")).status).toBe(200);
    expect((await http1("GET", "/api/v1/namespaces", { ...anonymous, headers: { authorization: "Bearer secret" } })).status).toBe(200);
    const unauthenticated = await http1("GET", "/api/v1/namespaces", anonymous);
    expect([unauthenticated.status, unauthenticated.json.message]).toEqual([
      403,
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    ]);
    expect((await http1("GET", "/healthz", anonymous)).status).toBe(200);
  });

  test("responds with 401 for an unknown token, and with 403 beyond discovery for a token without permissions", async () => {
    const wrong = await http1("GET", "/api", { ...anonymous, headers: { authorization: "Bearer wrong" } });
    expect([wrong.status, wrong.json]).toEqual([
      401,
      expect.objectContaining({ reason: "Unauthorized", message: "Unauthorized", code: 401 }),
    ]);
    const bob = { ...anonymous, headers: { authorization: "Bearer plain" } };
    expect((await http1("GET", "/apis", bob)).status).toBe(200);
    const { status, json } = await http1("POST", CONFIG_MAPS, { ...bob, body: "{}" });
    expect([status, json.message]).toEqual([
      403,
      'configmaps is forbidden: User "bob" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect((await http1("GET", "/metrics", bob)).json.message).toBe('forbidden: User "bob" cannot get path "/metrics"');
  });

  test("responds with 401 for a certificate of another authority", async () => {
    const { createCertificateAuthority } = await import("pintle/tls");
    const other = createCertificateAuthority("other", Date.now()).issueClientCertificate({
      commonName: "eve",
      organizations: ["system:masters"],
    });
    expect((await http1("GET", "/api/v1/namespaces", { cert: other.certificate, key: other.key })).status).toBe(401);
  });
});

describe("bodies", () => {
  test.each([
    ["{foo", "application/json", 400, /json parse error: invalid character 'f' looking for beginning of object key string/],
    ["", "application/json", 400, /unexpected end of JSON input/],
    ["x", "text/plain", 415, /accepted media types include: application\/json, application\/yaml, application\/vnd.kubernetes.protobuf$/],
  ])("%j as %s: %i", async (body, type, status, message) => {
    const got = await http1("POST", CONFIG_MAPS, { body, headers: { "content-type": type } });
    expect([got.status, got.json.message]).toEqual([status, expect.stringMatching(message)]);
  });

  test("of more than 3 MB are refused with 413", async () => {
    const got = await http1("POST", CONFIG_MAPS, {
      body: Buffer.alloc(3 * 1024 * 1024 + 1, " "),
      headers: { "content-type": "application/json" },
    });
    expect([got.status, got.json.message]).toEqual([413, "Request entity too large: limit is 3145728"]);
  });

  test("may be YAML, and so may responses", async () => {
    const body = "metadata:\n  name: yaml\ndata:\n  a: b\n";
    const got = await http1("POST", CONFIG_MAPS, { body, headers: { "content-type": "application/yaml", accept: "application/yaml" } });
    expect([got.status, got.headers["content-type"], parse(got.bytes.toString()).data]).toEqual([201, "application/yaml", { a: "b" }]);
  });

  test("without Content-Type are decoded as JSON", async () => {
    expect((await http1("POST", CONFIG_MAPS, { body: '{"metadata":{"name":"untyped"}}' })).status).toBe(201);
  });

  test("with a duplicate field get a warning", async () => {
    const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const strict = await http1("POST", `${CONFIG_MAPS}?fieldValidation=Strict`, { body });
    expect(strict.json.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
    );
    const warned = await http1("POST", CONFIG_MAPS, { body });
    expect([warned.status, warned.headers["warning"], warned.json.data]).toEqual([201, '299 - "duplicate field \\"data.a\\""', { a: "2" }]);
  });

  test("list strict decoding errors in the order of the text, without those inside unknown fields", async () => {
    const body = '{"u":{"a":1,"a":2},"2":1,"1":1,"metadata":{"name":"s","zz":1,"name":"s"},"data":{"a":"b","a":"c"},"u":2,"data":{}}';
    const { json } = await http1("POST", `${CONFIG_MAPS}?fieldValidation=Strict&dryRun=All`, { body });
    expect(json.message.replace(/^.*strict decoding error: /, "").split(", ")).toEqual([
      'unknown field "u"',
      'unknown field "2"',
      'unknown field "1"',
      'unknown field "metadata.zz"',
      'duplicate field "metadata.name"',
      'duplicate field "data.a"',
      'duplicate field "data"',
    ]);
  });

  test("report at most a hundred strict decoding errors", async () => {
    const unknown = Array.from({ length: 120 }, (_, index) => `"u${index}":1`).join();
    const { json } = await http1("POST", `${CONFIG_MAPS}?fieldValidation=Strict&dryRun=All`, {
      body: `{"metadata":{"name":"s"},${unknown}}`,
    });
    expect(json.message).toMatch(/unknown field "u99"$/);
  });

  test("keep 64-bit integers", async () => {
    const crd = {
      metadata: { name: "bigs.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "bigs", kind: "Big" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    };
    await http1("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: JSON.stringify(crd) });
    const path = "/apis/example.com/v1/namespaces/default/bigs";
    await expect.poll(async () => (await http1("GET", path)).status).toBe(200);
    const body = '{"apiVersion":"example.com/v1","kind":"Big","metadata":{"name":"b"},"n":9007199254740993}';
    expect((await http1("POST", path, { body })).bytes.toString()).toContain('"n":9007199254740993');
  });
});

describe("responses", () => {
  test("have an Audit-Id, that of the request if it has one", async () => {
    expect((await http1("GET", "/version")).headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await http1("GET", "/version", { headers: { "audit-id": "mine" } })).headers["audit-id"]).toBe("mine");
  });

  test("are compressed with gzip beyond 128 KiB", async () => {
    const data = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, "x".repeat(1000)]));
    await http1("POST", CONFIG_MAPS, { body: JSON.stringify({ metadata: { name: "long" }, data }) });
    const long = await http1("GET", `${CONFIG_MAPS}/long`, { headers: { "accept-encoding": "gzip" } });
    expect([long.headers["content-encoding"], long.json.data]).toEqual(["gzip", data]);
    expect(long.bytes.length).toBeLessThan(20_000);
    expect((await http1("GET", "/version", { headers: { "accept-encoding": "gzip" } })).headers).not.toHaveProperty("content-encoding");
  });

  test("to HEAD requests have no body", async () => {
    expect(await http1("HEAD", "/livez/ping")).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
  });

  test("are indented for browsers, curl and pretty=true", async () => {
    expect((await http1("GET", "/version", { headers: { "user-agent": "curl/8" } })).bytes.toString()).toMatch(/^\{\n {2}"major"/);
  });
});

describe("watches", () => {
  test("send headers at once over HTTP/1.1", async () => {
    const events: any[] = [];
    const status = await new Promise<number>((resolve) => {
      const sent = httpsRequest(
        `${cluster.url}${CONFIG_MAPS}?watch=1&resourceVersion=${cluster.server.store.currentRevision()}`,
        { ...credentials, agent: new Agent() },
        (response) => {
          resolve(response.statusCode!);
          response.on("data", (chunk) => {
            events.push(
              ...chunk
                .toString()
                .trim()
                .split("\n")
                .map((line: string) => JSON.parse(line)),
            );
          });
        },
      );
      sent.end();
    });
    expect([status, events]).toEqual([200, []]);
    await http1("POST", CONFIG_MAPS, { body: '{"metadata":{"name":"watched"}}' });
    await expect.poll(() => events.map(({ type, object }) => [type, object.metadata.name])).toEqual([["ADDED", "watched"]]);
  });

  test("get the event of a write before its client gets the response", async () => {
    const [watching, writing] = [connectHttp2(cluster.url, { ...credentials }), connectHttp2(cluster.url, { ...credentials })];
    let text = "";
    const watch = watching.request({ ":path": `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=prompt` });
    watch.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await new Promise((resolve) => watch.once("response", resolve));
    let prompt = 0;
    for (let index = 0; index < 40; index++) {
      const target = index === 0 ? { ":method": "POST", ":path": CONFIG_MAPS } : { ":method": "PUT", ":path": `${CONFIG_MAPS}/prompt` };
      const write = writing.request(target);
      write.end(JSON.stringify({ metadata: { name: "prompt" }, data: { mark: `mark-${index}` } }));
      await new Promise((resolve) => write.resume().once("end", resolve));
      if (text.includes(`"mark-${index}"`)) prompt++;
    }
    // The client reads its two connections in any order; a server that writes responses first is ahead in four of five.
    expect(prompt).toBeGreaterThan(30);
    for (const session of [watching, writing]) session.destroy();
  });

  test("share one HTTP/2 connection with other requests and end with it", async () => {
    const session = connectHttp2(cluster.url, { ...credentials });
    const seen: string[] = [];
    const streams = Array.from({ length: 50 }, () => {
      const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name=h2` });
      stream.on("data", (chunk) => seen.push(chunk.toString()));
      return new Promise((resolve) => stream.once("response", resolve));
    });
    await Promise.all(streams);
    await http1("POST", CONFIG_MAPS, { body: '{"metadata":{"name":"h2"}}' });
    await expect.poll(() => seen.filter((text) => text.includes('"h2"')).length).toBe(50);
    session.destroy();
    await new Promise((resolve) => session.once("close", resolve));
  });
});

test("malformed bytes do not affect the server", async () => {
  const { port } = new URL(cluster.url);
  for (const nonsense of ["GARBAGE\r\n\r\n", `POST ${CONFIG_MAPS} HTTP/1.1\r\nContent-Length: 100\r\n\r\n{`]) {
    const socket = connect({ port: Number(port), host: "127.0.0.1", ca: credentials.ca, ALPNProtocols: ["http/1.1"] });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    socket.write(nonsense);
    socket.on("error", () => {});
    await new Promise<void>((resolve) => socket.end(() => resolve()));
    socket.destroy();
  }
  expect((await http1("GET", "/healthz")).status).toBe(200);
});

test("requests over plain HTTP are made as the administrator", async () => {
  const status = await new Promise((resolve) =>
    httpRequest(`${cluster.plainUrl}/api/v1/nodes`, (response) => resolve(response.resume().statusCode)).end(),
  );
  expect(status).toBe(200);
});

test("stop() closes every connection", async () => {
  const other = await startCluster({ without: true, http: true });
  const pem = parse(other.kubeconfig).users[0].user;
  const decode = (data: string) => Buffer.from(data, "base64").toString();
  const session = connectHttp2(other.url, {
    rejectUnauthorized: false,
    cert: decode(pem["client-certificate-data"]),
    key: decode(pem["client-key-data"]),
  });
  session.on("error", () => {});
  const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1` });
  stream.on("error", () => {});
  await new Promise((resolve) => stream.once("response", resolve));
  const closed = new Promise((resolve) => session.once("close", resolve));
  await other.stop();
  await closed;
});
