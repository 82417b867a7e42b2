/** Parsers of bytes from servers and clients: mutated input is parsed or refused with the parser's own error, and never takes long. */
import { expect, test } from "vitest";
import { createResponseParser } from "../../src/client/http/response-parser.ts";
import { createFrameDecoder, encodeFrame, PING, TEXT } from "../../src/client/http/websocket/frames.ts";
import { WireError } from "../../src/client/http/wire-error.ts";
import { type Random, seededRandom } from "../../src/clock/index.ts";
import { PintleError } from "../../src/errors/index.ts";
import { parseCertificateRequest } from "../../src/tls/index.ts";

const RUNS = 2000;
const MAX_MS = 1000;

const parseResponse = (input: Buffer) => {
  const parser = createResponseParser({ onHead() {}, onData() {}, onEnd() {}, onUpgrade() {} });
  parser.expectResponse({ method: "GET" });
  // In two pieces, so that elements are cut anywhere.
  const half = input.length >> 1;
  parser.parse(input.subarray(0, half));
  parser.parse(input.subarray(half));
  parser.onPeerClose();
};

/** Made by OpenSSL, for `/O=system:nodes/CN=system:node:a`, with an Ed25519 key. */
const REQUEST =
  "MIIBGjCBzQIBADBAMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxDzANBgNVBAoMBnNlY29uZDEWMBQGA1UEAwwNc3lzdGVtOm5vZGU6YTAqMAUGAytlcAMhAGMXmTgEMlrt" +
  "lXGW+LoTZsR00eAwp+egEse44Hy6GOEDoFowWAYJKoZIhvcNAQkOMUswSTBHBgNVHREEQDA+gg93ZWIuZXhhbXBsZS5jb22HBAoAAAeHEP0AAAAAAAAAAAAAAAAAAAGB" +
  "BWFAYi5jhgxzcGlmZmU6Ly94L3kwBQYDK2VwA0EATyjoIP/XQNjBQ9dkbQhDhQDtXzJqxKp/nityj76730Fb5pd3XklmN//zbpBGrWIaMB22Z7pLvLqqaED+sSMtBw==";

const PARSERS = [
  {
    name: "HTTP/1.1 responses",
    samples: [
      Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}'),
      Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nx-sum: 1\r\n\r\n"),
      Buffer.from("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\nwarning: a\r\nwarning: b\r\n\r\nuntil the end"),
    ],
    parse: parseResponse,
    isExpected: (error: unknown) => error instanceof WireError,
  },
  {
    name: "WebSocket frames",
    samples: [encodeFrame(TEXT, Buffer.from("hello"), Buffer.from([1, 2, 3, 4])), encodeFrame(PING, Buffer.alloc(125), Buffer.alloc(4))],
    parse: (input: Buffer) => [...createFrameDecoder()(input)],
    isExpected: (error: unknown) => error instanceof WireError,
  },
  {
    name: "certificate signing requests",
    samples: [Buffer.from(REQUEST, "base64")],
    parse: parseCertificateRequest,
    isExpected: (error: unknown) => error instanceof PintleError && error.code === "PINTLE1061",
  },
] as const;

test.each(PARSERS)("the parser of $name throws only its own errors for mutated input", ({ samples, parse, isExpected }) => {
  const random = seededRandom(1);
  for (const sample of samples) parse(sample);
  const failures: string[] = [];
  for (let run = 0; run < RUNS; run++) {
    const input = mutate(random, samples[Math.floor(random() * samples.length)]!);
    const startedAt = performance.now();
    try {
      parse(input);
    } catch (error) {
      if (!isExpected(error)) failures.push(`${input.toString("base64")}: ${String(error)}`);
    }
    if (performance.now() - startedAt > MAX_MS) failures.push(`${input.toString("base64")}: took too long`);
  }
  expect(failures).toEqual([]);
});

/** Changes, removes, repeats or cuts off a few bytes. */
function mutate(random: Random, bytes: Buffer): Buffer {
  let result = bytes;
  for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
    const at = Math.floor(random() * (result.length + 1));
    const to = Math.min(result.length, at + 1 + Math.floor(random() * 8));
    const [head, part, tail] = [result.subarray(0, at), result.subarray(at, to), result.subarray(to)];
    const changed = [[head, tail], [head, part, part, tail], [head, Buffer.from([Math.floor(random() * 256)]), tail], [head]];
    result = Buffer.concat(changed[Math.floor(random() * changed.length)]!);
  }
  return result;
}
