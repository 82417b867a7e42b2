import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createResponseParser } from "./response-parser.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const body = (text: string) => `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

/** Raw responses, and the method of the request. */
const RESPONSES: Readonly<Record<string, readonly [raw: string, method?: string]>> = {
  "a body of a known length": [`${HEAD}${body('{"a":1}')}`],
  "an empty body": [`${HEAD}content-length: 0\r\n\r\n`],
  "a body in chunks": [`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`],
  "chunks with extensions, capital digits and a trailer": [
    `${HEAD}Transfer-Encoding: Chunked\r\n\r\n0A;name=value\r\n0123456789\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n`,
  ],
  "a body until the end": [`${HEAD}connection: close\r\n\r\nall that follows`],
  "a body until the end, without a word": [`HTTP/1.0 200 OK\r\n\r\nall that follows`],
  "an HTTP/1.0 server with keep-alive": [`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${body("x")}`],
  "no content": ["HTTP/1.1 204 No Content\r\n\r\n"],
  "not modified, with a length that is not sent": ["HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n"],
  "a response to HEAD": [`${HEAD}content-length: 10\r\n\r\n`, "HEAD"],
  "an informational response first": [`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}${body("x")}`],
  "two informational responses": [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${HEAD}${body("x")}`],
  "no reason": [`HTTP/1.1 500 \r\n${body("x")}`],
  "repeated headers": [`${HEAD}warning: 299 - "a"\r\nWarning: 299 - "b"\r\nset-cookie: a\r\n${body("x")}`],
  "spaces around a value": [`${HEAD}x-a: \t b c \t\r\n${body("x")}`],
  "an empty value": [`${HEAD}x-a:\r\n${body("x")}`],
  "the same length twice": [`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
  "a length that is no number": [`${HEAD}content-length: 1x\r\n\r\nx`],
  "a negative length": [`${HEAD}content-length: -1\r\n\r\nx`],
  "both a length and chunks": [`${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  "a chunk without a size": [`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`],
  "a chunk longer than its size": [`${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n`],
  "a header without a colon": [`${HEAD}nonsense\r\n${body("x")}`],
  "a header with a space in its name": [`${HEAD}x y: z\r\n${body("x")}`],
  "a header without a name": [`${HEAD}: z\r\n${body("x")}`],
  "a zero byte in a header": [`${HEAD}x-a: b\0c\r\n${body("x")}`],
  "another protocol": ["SSH-2.0-OpenSSH_9.2\r\n\r\n"],
  "an unknown HTTP version": [`HTTP/9.9 200 OK\r\n${body("x")}`],
  "a body cut short": [`${HEAD}content-length: 10\r\n\r\nhalf`],
  "chunks cut short": [`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
  "a head cut short": [`${HEAD}x-a: b\r\n`],
  nothing: [""],
  "a protocol switch without a request for it": ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
};

type Read = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } | "refused";

describe("responses are parsed as node:http parses them", () => {
  let raw = "";
  let port = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.end(raw, "latin1"));
  });
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });

  it.each(Object.entries(RESPONSES))("%s", async (_, [text, method = "GET"]) => {
    raw = text;
    const theirs = await byNode(port, method);
    for (const cuts of [[], every(1, text), every(3, text), every(7, text)]) expect(byUs(text, method, cuts)).toEqual(theirs);
  });
});

it.each([
  ["continues after its end", `${HEAD}${body("x")}HTTP/1.1 200 OK\r\n`],
  ["has a head without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`],
  ["has a size line without end", `${HEAD}transfer-encoding: chunked\r\n\r\n5;${"y".repeat(2_000)}`],
  ["has trailers without end", `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${`a: ${"y".repeat(900)}\r\n`.repeat(100)}`],
])("a response that %s is refused before it fills the memory", (_, text) => {
  expect(byUs(text, "GET", every(1000, text))).toBe("refused");
});

it("a header named __proto__ does not change any prototype", () => {
  const read = byUs(`${HEAD}__proto__: polluted\r\nconstructor: x\r\n${body("x")}`, "GET", []);
  expect(read).toMatchObject({ headers: { constructor: "x" } });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

it("bytes after a protocol switch belong to the new protocol", () => {
  let rest = "";
  const never = () => {};
  const reader = createResponseParser({
    onHead: never,
    onData: never,
    onEnd: never,
    onUpgrade: (_, __, after) => (rest = after.toString()),
  });
  reader.expectResponse({ method: "GET", upgrade: true });
  reader.parse(Buffer.from("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\nframes"));
  expect(rest).toBe("frames");
});

function byUs(text: string, method: string, cuts: readonly number[]): Read {
  let status = 0;
  let headers: Record<string, string> = {};
  let read = "";
  let over = false;
  const reader = createResponseParser({
    onHead(code, given) {
      status = code;
      headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value].flat().join(", ")]));
    },
    onData: (chunk) => (read += chunk.toString("latin1")),
    onEnd: () => (over = true),
    onUpgrade: () => {},
  });
  try {
    reader.expectResponse({ method });
    let at = 0;
    for (const cut of [...cuts, text.length]) {
      if (cut > at) reader.parse(Buffer.from(text.slice(at, cut), "latin1"));
      at = cut;
    }
    reader.onPeerClose();
  } catch {
    return "refused";
  }
  return over ? { status, headers, body: read } : "refused";
}

function byNode(port: number, method: string): Promise<Read> {
  return new Promise((resolve) => {
    const onRefusal = () => resolve("refused");
    const clientRequest = request({ port, host: "127.0.0.1", method, agent: false, joinDuplicateHeaders: true }, (message) => {
      let read = "";
      message.setEncoding("latin1").on("data", (chunk: string) => (read += chunk));
      message.on("error", onRefusal).on("aborted", onRefusal);
      message.on("end", () => resolve({ status: message.statusCode ?? 0, headers: flat(message.headers), body: read }));
    });
    clientRequest.on("error", onRefusal).on("upgrade", onRefusal).end();
  });
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]));
}

function every(step: number, text: string): number[] {
  return Array.from({ length: Math.floor(text.length / step) }, (_, i) => (i + 1) * step);
}
