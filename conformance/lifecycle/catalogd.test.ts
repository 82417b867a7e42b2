import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { CatalogStore, createCatalogHandler, readCatalogMetas } from "@pintle/lifecycle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { makeCatalog } from "./make-catalog.ts";
import { findReference, Reference } from "./reference.ts";

const file = findReference();
/** Of all catalogs, so that both servers give the same dates. */
const MODIFIED = 1_700_000_000;
const date = (seconds: number) => new Date(seconds * 1000).toUTCString();

describe.runIf(file !== undefined)(`the HTTP API of catalogd, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  const scratch = mkdtempSync(join(tmpdir(), "pintle-catalogd-"));
  let server: Server | undefined;
  let ports: { readonly theirs: number; readonly ours: number };

  beforeAll(async () => {
    const folders: Record<string, string> = {};
    for (const [name, files] of Object.entries(CATALOGS)) {
      folders[name] = join(scratch, name);
      mkdirSync(folders[name]!, { recursive: true });
      for (const [path, text] of Object.entries(files)) writeFileSync(join(folders[name]!, path), text);
    }
    const root = join(scratch, "theirs");
    const { port, failed } = await reference.ask({ op: "catalogd", root, folders, metas: true, modified: MODIFIED });
    expect(failed).toEqual({});
    const store = new CatalogStore(join(scratch, "ours"));
    for (const [name, folder] of Object.entries(folders)) {
      const metas = Array.from(readCatalogMetas(folder), ({ located }) => located.meta);
      await store.replace(name, metas, { modified: new Date(MODIFIED * 1000) });
    }
    server = createServer(createCatalogHandler(store)).listen(0, "127.0.0.1");
    await once(server, "listening");
    ports = { theirs: port as number, ours: (server.address() as AddressInfo).port };
  });
  afterAll(async () => {
    await reference.stop();
    server?.closeAllConnections();
    server?.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const compare = async (request: CatalogRequest) => {
    const [theirs, ours] = await Promise.all([send(ports.theirs, request), send(ports.ours, request)]);
    expect({ request, ...ours }).toEqual({ request, ...theirs });
    return ours;
  };

  test.each(REQUESTS.map((request) => [formatRequest(request), request] as const))("%s", async (_, request) => {
    await compare(request);
  });

  test("random requests get the same status, headers and content", async () => {
    const random = createRandom(seed);
    const statuses = new Set<number>();
    for (let i = 0; i < (full ? 5_000 : 400); i++) {
      const { status } = await compare(makeRequest(random));
      statuses.add(status);
    }
    expect([...statuses].sort()).toEqual([200, 206, 304, 400, 404, 405, 412, 416]);
  });
});

interface CatalogRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const formatRequest = ({ method = "GET", path, headers = {} }: CatalogRequest) =>
  [method, path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(" ").slice(0, 150);

/** Compared: what clients see. The encoding that is chosen depends on the version of Node, so the requests accept only gzip. */
const HEADERS = [
  "content-type",
  "last-modified",
  "content-encoding",
  "vary",
  "accept-ranges",
  "content-range",
  "x-content-type-options",
  "location",
];

async function send(port: number, { method = "GET", path, headers = {} }: CatalogRequest) {
  const { status, received, body } = await new Promise<{ status: number; received: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response
          .on("data", (part: Buffer) => parts.push(part))
          .on("end", () => resolve({ status: response.statusCode!, received: response.headers, body: Buffer.concat(parts) }))
          .on("error", reject);
      })
        .on("error", reject)
        .end();
    },
  );
  const content = received["content-encoding"] === "gzip" ? gunzipSync(body) : body;
  const boundary = /boundary=(\w{60})$/.exec(received["content-type"] ?? "")?.[1];
  const withoutBoundary = <T extends string | undefined>(text: T) =>
    (boundary === undefined ? text : text?.replaceAll(boundary, "BOUNDARY")) as T;
  const isRedirect = (status >= 300 && status < 304) || status === 307;
  return {
    status,
    headers: Object.fromEntries(
      HEADERS.map((name) => [
        name,
        isRedirect && name === "content-type" ? undefined : withoutBoundary(received[name] as string | undefined),
      ]),
    ),
    // The page of a redirect is for browsers.
    body: isRedirect ? "" : withoutBoundary(content.toString("utf8")),
  };
}

const CATALOGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  small: {
    "c.yaml":
      "schema: olm.package\nname: a\ndefaultChannel: x\n---\nschema: olm.channel\npackage: a\nname: x\nentries:\n- name: a.v1.0.0\n",
  },
  made: {
    "catalog.json": makeCatalog({ packages: 12, bundlesPerPackage: 4, bytesPerBundle: 900 })
      .map((blob) => JSON.stringify(blob))
      .join("\n"),
  },
  odd: {
    "a.json": [
      '{"schema":"x","10":1,"9":2,"a":{"z":1,"b":[{"d":1,"c":2}]},"package":"p","name":"n"}',
      '{"schema":"x","big":12345678901234567890,"float":1.0,"tiny":1e-9,"huge":1e30,"neg":-0.0,"text":"<&>\\u2028 \\ud800 \\u0007 \\u007f é"}',
      '{"name":"without schema"}',
      '{"Schema":"folded","Package":"p","NAME":"q"}',
      '{"schema":"x","name":""}',
    ].join(" "),
    "b.yaml": "schema: yy\npackage: p\n1: one\ntrue: x\nlist: [1, 0x10, 1.5, ~, yes]\n---\nschema: yy\n",
  },
  "one.two": { "c.json": '{"schema":"s"}' },
};

const at = (path: string, headers?: Readonly<Record<string, string>>): CatalogRequest => ({
  path: `/catalogs/${path}`,
  ...(headers === undefined ? {} : { headers }),
});
const REQUESTS: readonly CatalogRequest[] = [
  at("small/api/v1/all"),
  at("made/api/v1/all"),
  at("odd/api/v1/all"),
  at("one.two/api/v1/all"),
  at("made/api/v1/all", { "accept-encoding": "gzip" }),
  at("small/api/v1/all", { "accept-encoding": "gzip" }),
  at("made/api/v1/metas?package=p3", { "accept-encoding": "deflate, gzip;q=0.5" }),
  at("made/api/v1/metas?package=p3", { "accept-encoding": "gzip;q=0" }),
  at("made/api/v1/metas"),
  at("odd/api/v1/metas"),
  at("odd/api/v1/metas?package=p"),
  at("odd/api/v1/metas?name=without%20schema"),
  at("odd/api/v1/metas?schema=x"),
  at("odd/api/v1/metas?schema=x&name=n&package=p"),
  at("made/api/v1/metas?schema=olm.bundle"),
  at("made/api/v1/metas?schema=olm.bundle&schema=olm.channel"),
  at("made/api/v1/metas?schema=none"),
  at("made/api/v1/metas?other=1"),
  at("made/api/v1/metas?schema=a&other"),
  at("made/api/v1/metas?schema=olm.channel&"),
  at("made/api/v1/metas?;=1"),
  at("made/api/v1/metas?schema=olm%2echannel&package=p+1"),
  at("made/api/v1/all?anything=goes"),
  at("none/api/v1/all"),
  at("none/api/v1/metas"),
  at("none/api/v1/metas?x=1"),
  at("NONE/api/v1/all"),
  at("..%2f..%2fetc/api/v1/all"),
  at("a_b/api/v1/metas"),
  at(`${"a".repeat(254)}/api/v1/all`),
  at(`${"A".repeat(254)}/api/v1/all`),
  at("made"),
  at("made/"),
  at("made/api/v1/all/"),
  at("made/api/v1"),
  at("made/api/v1/graphql"),
  at(""),
  { path: "/" },
  { path: "//catalogs/made/api/v1/all" },
  { path: "/catalogs/./made/api/v1/metas?schema=x" },
  { path: "/catalogs/x/../made/api/v1/all" },
  ...["HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].flatMap((method) => [
    { method, path: "/catalogs/made/api/v1/all" },
    { method, path: "/catalogs/made/api/v1/metas?schema=olm.package" },
    { method, path: "/catalogs/none/api/v1/all" },
    { method, path: "/catalogs/none" },
  ]),
  { method: "HEAD", path: "/catalogs/made/api/v1/all", headers: { "accept-encoding": "gzip" } },
  ...["all", "metas?schema=olm.package"].flatMap((endpoint) => [
    at(`made/api/v1/${endpoint}`, { "if-modified-since": date(MODIFIED) }),
    at(`made/api/v1/${endpoint}`, { "if-modified-since": date(MODIFIED - 1) }),
    at(`made/api/v1/${endpoint}`, { "if-modified-since": date(MODIFIED + 1), "if-none-match": '"x"' }),
    at(`made/api/v1/${endpoint}`, { "if-none-match": "*" }),
    at(`made/api/v1/${endpoint}`, { "if-match": '"x"' }),
    at(`made/api/v1/${endpoint}`, { "if-match": "*" }),
    at(`made/api/v1/${endpoint}`, { "if-unmodified-since": date(MODIFIED - 1) }),
    at(`made/api/v1/${endpoint}`, { "if-unmodified-since": date(MODIFIED) }),
    at(`made/api/v1/${endpoint}`, { "if-modified-since": "Tuesday, 14-Nov-23 22:13:20 GMT" }),
    at(`made/api/v1/${endpoint}`, { "if-modified-since": "Tue Nov 14 22:13:20 2023" }),
  ]),
  at("made/api/v1/all", { "if-modified-since": "yesterday" }),
  ...[
    "bytes=0-9",
    "bytes=5-",
    "bytes=-7",
    "bytes=-99999999",
    "bytes=99999999-",
    "bytes=5-3",
    "bytes=x",
    "lines=1-2",
    "bytes=",
    "bytes=0-99999999",
    "bytes=0-4,10-14",
    "bytes=0-4, -3 ,99999999-",
    "bytes=0-4,99999999-,",
    "bytes=0-,0-",
    "bytes=10-14,0-4,2-3",
    "bytes=0-4,x",
    "bytes=99999999-,99999998-",
  ].map((range) => at("made/api/v1/all", { range })),
  at("made/api/v1/all", { range: "bytes=0-2000", "accept-encoding": "gzip" }),
  at("made/api/v1/all", { range: "bytes=0-2000,3000-3999", "accept-encoding": "gzip" }),
  at("made/api/v1/all", { range: "bytes=0-20,30-39", "accept-encoding": "gzip" }),
  { method: "HEAD", path: "/catalogs/made/api/v1/all", headers: { range: "bytes=0-2000,3000-3999" } },
  { method: "HEAD", path: "/catalogs/made/api/v1/all", headers: { range: "bytes=0-2000,3000-3999", "accept-encoding": "gzip" } },
  at("made/api/v1/all", { range: "bytes=0-9", "if-range": date(MODIFIED) }),
  at("made/api/v1/all", { range: "bytes=0-9", "if-range": date(MODIFIED - 1) }),
  at("made/api/v1/metas?schema=olm.package", { range: "bytes=0-9" }),
];

function makeRequest(random: ReturnType<typeof createRandom>): CatalogRequest {
  const { pick, chance } = random;
  const name = pick(["made", "made", "made", "small", "odd", "none", "one.two", "Bad", "-a", "a.", "a..b"]);
  const endpoint = pick(["all", "metas", "metas", "metas"]);
  const values = ["", "olm.bundle", "olm.channel", "olm.package", "p1", "p2", "p2.v1.0.0", "stable", "x", "p", "n"];
  const query = ["schema", "package", "name", pick(["schema", "x"])].filter(() => chance(0.4)).map((key) => `${key}=${pick(values)}`);
  const headers: Record<string, string> = {};
  if (chance(0.3)) headers["accept-encoding"] = pick(["gzip", "gzip;q=0.1", "identity", "br", "gzip; q=2", "GZIP", "*"]);
  if (chance(0.2)) headers["if-modified-since"] = date(MODIFIED + pick([-1, 0, 1]));
  if (chance(0.1)) headers["if-unmodified-since"] = date(MODIFIED + pick([-1, 0, 1]));
  if (chance(0.1)) headers["if-none-match"] = pick(["*", '"a"', 'W/"a", *', "a", ","]);
  if (chance(0.1)) headers["if-match"] = pick(["*", '"a"', '"a", *', "a", ","]);
  if (chance(0.2) && endpoint === "all") {
    const range = () => `${pick(["", "0", "5", "100", "9999999"])}-${pick(["", "5", "99", "9999999"])}`;
    headers["range"] = `bytes=${chance(0.3) ? `${range()},${range()}` : range()}`;
  }
  const method = pick(["GET", "GET", "GET", "HEAD", "POST"]);
  return { method, path: `/catalogs/${name}/api/v1/${endpoint}${query.length === 0 ? "" : `?${query.join("&")}`}`, headers };
}
