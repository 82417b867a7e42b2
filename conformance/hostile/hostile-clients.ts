/**
 * A program that is many hostile clients at once: reads one line of JSON with `HostileClientsOptions`, attacks until stdin ends, and prints
 * how often each attack had which outcome. The clients have a process of their own.
 */
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { seededRandom } from "pintle/internal/clock";
import {
  APPLY_PATCH,
  CANARY,
  CANARY_WIDGET,
  CONFIG_MAPS,
  CRDS,
  JSON_BODY,
  JSON_PATCH,
  MERGE_PATCH,
  nested,
  STRATEGIC_PATCH,
  WIDGETS,
  YAML_BODY,
} from "../../packages/cluster/test/hostile/hostile-request.ts";
import { hostileRequests } from "../../packages/cluster/test/hostile/hostile-requests.ts";

export interface HostileClientsOptions {
  readonly url: string;
  readonly ca: string;
  /** Bearer tokens of users with write access to a namespace; every third client uses none of them. */
  readonly tokens: readonly string[];
  readonly clients: number;
  readonly seed: number;
}

/** How often each attack had which outcome: a status code, "cut" or "unanswered". */
export type AttackOutcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Client {
  readonly session: ClientHttp2Session;
  readonly name: string;
  readonly token: string | undefined;
  readonly url: URL;
  readonly ca: string;
}

interface Attack {
  readonly name: string;
  /** Resolves with the outcome. */
  run(client: Client, round: number): Promise<string>;
}

/** A client gives up on a response after this time and goes on. */
const PATIENCE_MS = 20_000;

const fields = (count: number, value = ""): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const configMap = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const manyFields = JSON.stringify(configMap("NAME", fields(60_000)));
const oneField = JSON.stringify(configMap("NAME", { text: "x".repeat(3_000_000) }));
const escapedField = JSON.stringify(configMap("NAME", { text: "\u0001".repeat(480_000) }));
const yamlFields = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata:\n${Array.from({ length: 60_000 }, (_, n) => `  k${n}: ""\n`).join("")}`;
const yamlText = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata:\n  text: "${"x ".repeat(1_400_000)}"\n`;
const deep = nested(900);
const manyOperations = JSON.stringify(Array.from({ length: 9_000 }, (_, index) => ({ op: "add", path: `/data/k${index}`, value: "x" })));
const largeWidget = JSON.stringify({
  apiVersion: "hostile.example.com/v1",
  kind: "Widget",
  metadata: { name: "NAME" },
  spec: { trap: "a".repeat(90_000), words: Array.from({ length: 100 }, () => "a".repeat(99)), free: fields(50_000) },
});
const badPod = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "NAME" },
  spec: { containers: Array.from({ length: 5_000 }, (_, n) => ({ name: `C_${n}`, image: "", ports: [{ containerPort: n }] })) },
});
const rules = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "NAMEs.hostile.example.com" },
  spec: {
    group: "hostile.example.com",
    scope: "Namespaced",
    names: { plural: "NAMEs", kind: "NAME" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: Object.fromEntries(
              Array.from({ length: 2_000 }, (_, n) => [
                `p${n}`,
                { type: "string", maxLength: 10, "x-kubernetes-validations": [{ rule: `self != 'a${n}' && self.size() > ${n}` }] },
              ]),
            ),
          },
        },
      },
    ],
  },
});

const send =
  (method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
  (client: Client, round: number) => {
    const name = `${client.name}-${round % 4}`;
    return sendRequest(
      client,
      method,
      path.replaceAll("NAME", name),
      headers,
      typeof body === "string" ? body.replaceAll("NAME", name) : body,
    );
  };
const read = (name: string, path: string, accept: string, more: Record<string, string> = {}): Attack => ({
  name,
  run: send("GET", path, { accept, ...more }),
});
const post = (name: string, body: string, type = JSON_BODY, path = CONFIG_MAPS): Attack => ({
  name,
  run: send("POST", path, { "content-type": type }, body),
});
const patch = (name: string, body: string, type: string, path = CANARY): Attack => ({
  name,
  run: send("PATCH", path, { "content-type": type }, body),
});

const attacks: readonly Attack[] = [
  post("a body of 60,000 fields", manyFields),
  post("a body of 3 MB", oneField),
  post("a body of escapes", escapedField),
  post("a deep body", deep),
  post("a YAML body of 60,000 fields", yamlFields, YAML_BODY),
  post("a YAML body of 3 MB", yamlText, YAML_BODY),
  post("a Pod of 5,000 invalid containers", badPod, JSON_BODY, "/api/v1/namespaces/default/pods"),
  post("a Widget of 50,000 fields", largeWidget, JSON_BODY, WIDGETS),
  post("a definition of 2,000 rules", rules, JSON_BODY, `${CRDS}?dryRun=All`),
  patch("an apply of 60,000 fields", manyFields, APPLY_PATCH, `${CONFIG_MAPS}/NAME?fieldManager=m&force=true`),
  patch("an apply of a Widget", largeWidget, APPLY_PATCH, `${WIDGETS}/NAME?fieldManager=m&force=true`),
  patch("9,000 operations", manyOperations, JSON_PATCH),
  patch("a merge patch of 60,000 fields", JSON.stringify({ data: fields(60_000) }), MERGE_PATCH),
  patch("a strategic patch of 60,000 fields", JSON.stringify({ data: fields(60_000) }), STRATEGIC_PATCH),
  patch("a patch of a widget", JSON.stringify({ spec: { free: fields(60_000) } }), MERGE_PATCH, CANARY_WIDGET),
  read("a list", CONFIG_MAPS, "application/json"),
  read("a list as YAML", CONFIG_MAPS, "application/yaml"),
  read("an indented list", `${CONFIG_MAPS}?pretty=1`, "application/json"),
  read("a list as a Table", CONFIG_MAPS, "application/json;as=Table;v=v1;g=meta.k8s.io"),
  read("a list as protobuf", CONFIG_MAPS, "application/vnd.kubernetes.protobuf"),
  read("a list, compressed", CONFIG_MAPS, "application/json", { "accept-encoding": "gzip" }),
  read("a selector of 200 KB", `${CONFIG_MAPS}?labelSelector=${"a%3Db,".repeat(30_000)}c`, "application/json"),
  read("slashes", `/${"/".repeat(40_000)}`, "application/json"),
  read("OpenAPI v2", "/openapi/v2", "application/json"),
  read("OpenAPI v3", "/openapi/v3/api/v1", "application/json"),
  read("metrics", "/metrics", "text/plain"),
  {
    name: "headers of 900 KB",
    run: (client) => sendRequest(client, "GET", CONFIG_MAPS, { accept: `application/json${", a/b".repeat(180_000)}` }),
  },
  { name: "a body that does not end", run: runUnfinished },
  { name: "200 streams at once", run: runManyStreams },
  { name: "50 resets", run: runResets },
  { name: "a response that is not read", run: runUnread },
  { name: "a watch of everything", run: runWatch },
  { name: "handshakes", run: runHandshakes },
  ...hostileRequests.map(
    ({ name, method, path, headers, body }): Attack => ({ name: `corpus: ${name}`, run: send(method, path, headers, body) }),
  ),
];

const corpus = attacks.filter(({ name }) => name.startsWith("corpus: "));
const own = attacks.filter((attack) => !corpus.includes(attack));

function authorize({ token }: Client): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function sendRequest(
  client: Client,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end("unanswered"), PATIENCE_MS);
    const stream = client.session.request(
      { ":method": method, ":path": path, ...authorize(client), ...headers },
      { endStream: body === undefined },
    );
    let status = "cut";
    const end = (outcome: string) => {
      clearTimeout(timer);
      if (outcome === "unanswered") stream.close();
      resolve(outcome);
    };
    stream.on("error", () => {});
    stream.once("response", (got) => {
      status = String(got[":status"]);
    });
    stream.once("close", () => end(status));
    stream.resume();
    if (body !== undefined) stream.end(body);
  });
}

async function runUnfinished(client: Client): Promise<string> {
  const stream = client.session.request({ ":method": "POST", ":path": CONFIG_MAPS, "content-type": JSON_BODY, ...authorize(client) });
  stream.on("error", () => {}).resume();
  stream.write(Buffer.alloc(500_000, "{"));
  await sleep(2_000);
  stream.close();
  return "cut";
}

async function runManyStreams(client: Client): Promise<string> {
  const all = await Promise.all(Array.from({ length: 200 }, () => sendRequest(client, "GET", CANARY, {})));
  return all.at(-1) ?? "";
}

async function runResets(client: Client): Promise<string> {
  for (let index = 0; index < 50; index++) {
    const stream = client.session.request({ ":path": CONFIG_MAPS, ...authorize(client) });
    stream.on("error", () => {}).close();
  }
  await sleep(500);
  return "cut";
}

async function runUnread(client: Client): Promise<string> {
  const stream = client.session.request({ ":path": CONFIG_MAPS, ...authorize(client) });
  stream.on("error", () => {});
  await sleep(3_000);
  stream.close();
  return "cut";
}

async function runWatch(client: Client): Promise<string> {
  const stream = client.session.request({ ":path": `${CONFIG_MAPS}?watch=1`, ...authorize(client) });
  stream.on("error", () => {});
  await sleep(3_000);
  stream.close();
  return "cut";
}

async function runHandshakes({ url, ca }: Client): Promise<string> {
  for (let index = 0; index < 5; index++) {
    const socket = connectTls({ host: url.hostname, port: Number(url.port), ca });
    socket.on("error", () => {});
    await Promise.race([once(socket, "secureConnect"), once(socket, "close"), sleep(5_000)]);
    socket.destroy();
  }
  return "cut";
}

function openClient(index: number, { url, ca, tokens }: HostileClientsOptions): Client {
  const session = connectHttp2(url, { ca });
  session.on("error", () => {});
  const token = index % 3 === 0 ? undefined : tokens[index % tokens.length];
  return { session, name: `c${index}`, token, url: new URL(url), ca };
}

/** One client: attacks as long as the signal lets it, over a new connection whenever the server closed the last one. */
async function runClient(first: Client, index: number, options: HostileClientsOptions, outcomes: Outcomes, signal: AbortSignal) {
  const random = seededRandom(options.seed + index);
  let client = first;
  for (let round = 0; !signal.aborted; round++) {
    if (client.session.destroyed || client.session.closed) client = openClient(index, options);
    const chosen = random() < 0.8 ? own : corpus;
    const attack = chosen[Math.floor(random() * chosen.length)] as Attack;
    const outcome = await attack.run(client, round).catch(() => "cut");
    const name = attack.name.startsWith("corpus: ") ? "corpus" : attack.name;
    const counts = outcomes[name] ?? {};
    outcomes[name] = counts;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  client.session.destroy();
}

type Outcomes = Record<string, Record<string, number>>;

const lines = createInterface({ input: process.stdin });
const [first] = (await once(lines, "line")) as [string];
const options = JSON.parse(first) as HostileClientsOptions;
const stopped = new AbortController();
lines.once("close", () => stopped.abort());
const outcomes: Outcomes = {};
const clients = Array.from({ length: options.clients }, (_, index) => openClient(index, options));
await Promise.all(clients.map(({ session }) => once(session, "connect")));
const running = clients.map((client, index) => runClient(client, index, options, outcomes, stopped.signal));
process.stdout.write("started\n");
await once(stopped.signal, "abort");
process.stdout.write(`${JSON.stringify(outcomes)}\n`, () => process.exit(0));
await Promise.all(running);
