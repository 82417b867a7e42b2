import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { constants, deflateSync } from "node:zlib";
import { loadClusterAccess } from "pintle/client";
import { canonicalizeQuantity, parseQuantity } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import { createFrameReader as createWebSocketReader, encodeFrame } from "../../../src/api/http/web-socket/frames.ts";
import { decodeContinueToken, encodeContinueToken } from "../../../src/api/options/continue-token.ts";
import { parseFieldSelector } from "../../../src/api/options/field-selector.ts";
import { parseLabelSelectorParameter } from "../../../src/api/options/list-options.ts";
import { applyJsonPatch } from "../../../src/apply/patch/json-patch.ts";
import { BodyDecodeError, decodeJson, decodeProtobuf, decodeYaml, encodeProtobuf } from "../../../src/codec/index.ts";
import { readTarEntries } from "../../../src/node/process/image/oci/tar-reader.ts";
import { parseExpression } from "../../../src/schema/cel/syntax/parser.ts";
import { ApiError } from "../../../src/status/index.ts";
import { createGrpcFrameReader, encodeGrpcFrame } from "../../../src/store/etcd/grpc-frames.ts";
import { concatFields, encodeBytes, encodeInteger, MessageFields } from "../../../src/store/etcd/protobuf-wire.ts";
import { createHeaderReader, DICTIONARY, parseHeaderBlock } from "../../../src/streams/spdy/header-block.ts";
import {
  createFrameReader as createSpdyReader,
  encodeControlFrame,
  encodeDataFrame,
  SYN_STREAM,
} from "../../../src/streams/spdy/spdy-frames.ts";

/** A parser of input from other programs, with valid inputs whose mutations it must survive. */
export interface FuzzedParser {
  readonly name: string;
  readonly samples: readonly (string | Buffer)[];
  /** Parses mutated input. May throw only errors for which `isExpected` is true. */
  parse(input: Buffer): unknown;
  isExpected(error: unknown): boolean;
}

const never = () => false;
const isApiError = (error: unknown) => error instanceof ApiError;
const isBodyError = (error: unknown) => error instanceof BodyDecodeError;
/** Parsers whose callers close the connection, or report the text, of any error that they throw on purpose. */
const isPlainError = (error: unknown) => error instanceof Error && error.constructor === Error;
const text = (parse: (input: string) => unknown) => (input: Buffer) => parse(input.toString());

const POD: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { a: "b" }, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main", image: "i", resources: { limits: { cpu: "100m" } }, ports: [{ containerPort: 80 }] }] },
};
const encodeSpdyText = (value: string) => {
  const bytes = Buffer.from(`\0\0\0\0${value}`);
  bytes.writeUInt32BE(bytes.length - 4);
  return bytes;
};
const SPDY_HEADERS = Buffer.concat([Buffer.from([0, 0, 0, 2]), ...["streamtype", "stdin", "port", "80"].map(encodeSpdyText)]);
const DOCUMENT: Json = { a: { b: [1, 2, { c: null }] }, "d/e": "f" };
const TAR_HEADER = Buffer.alloc(1536);
TAR_HEADER.write("folder/name", 0);
TAR_HEADER.write("0000644\u00000000000\u00000000000\u000000000000005\u000000000000000\u0000", 100);
TAR_HEADER.write("0", 156);
TAR_HEADER.write("ustar", 257);
TAR_HEADER.write("hello", 512);

const KUBECONFIG = path.join(mkdtempSync(path.join(tmpdir(), "pintle-fuzz-")), "kubeconfig");
process.once("exit", () => rmSync(path.dirname(KUBECONFIG), { recursive: true, force: true }));

export const parsers: readonly FuzzedParser[] = [
  { name: "JSON", samples: [JSON.stringify(POD), "[1e5, -0, 9223372036854775807]"], parse: text(decodeJson), isExpected: isBodyError },
  {
    name: "YAML",
    samples: ["a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n", "kind: Pod\nspec:\n- |\n  text\n- 0x1F\n"],
    parse: text(decodeYaml),
    isExpected: isBodyError,
  },
  { name: "protobuf", samples: [Buffer.from(encodeProtobuf(POD))], parse: (input) => decodeProtobuf(input), isExpected: isBodyError },
  {
    name: "protobuf of etcd",
    samples: [concatFields(encodeInteger(1, 5n), encodeBytes(2, Buffer.from("key")))],
    parse: (input) => new MessageFields(input),
    isExpected: (error) => error instanceof RangeError && error.message.startsWith("a message of etcd"),
  },
  {
    name: "WebSocket frames",
    samples: [Buffer.concat([encodeFrame(1, Buffer.from("text")), encodeFrame(2, Buffer.alloc(300))])],
    parse: (input) => [...createWebSocketReader()(input)],
    isExpected: isPlainError,
  },
  {
    name: "SPDY frames",
    samples: [Buffer.concat([encodeControlFrame(SYN_STREAM, 1, 0, Buffer.from("headers")), encodeDataFrame(1, Buffer.from("data"), true)])],
    parse: (input) => [...createSpdyReader()(input)],
    isExpected: isPlainError,
  },
  {
    name: "SPDY header blocks",
    samples: [SPDY_HEADERS],
    parse: parseHeaderBlock,
    isExpected: isPlainError,
  },
  {
    name: "compressed SPDY header blocks",
    samples: [deflateSync(SPDY_HEADERS, { dictionary: DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH })],
    async parse(input) {
      const reader = createHeaderReader();
      try {
        await reader.read(input);
      } finally {
        reader.close();
      }
    },
    // Those of zlib have a code.
    isExpected: (error) => isPlainError(error) || /^Z_/.test(String((error as { readonly code?: unknown }).code)),
  },
  {
    name: "gRPC frames",
    samples: [
      Buffer.concat([encodeGrpcFrame(Buffer.from("a message")), encodeGrpcFrame(Buffer.alloc(0)), encodeGrpcFrame(Buffer.alloc(300))]),
    ],
    parse(input) {
      const messages: Buffer[] = [];
      const read = createGrpcFrameReader((message) => messages.push(message));
      for (let at = 0; at < input.length; at += 7) read(input.subarray(at, at + 7));
      const whole: Buffer[] = [];
      createGrpcFrameReader((message) => whole.push(message))(input);
      if (!isDeepStrictEqual(messages, whole)) throw new TypeError("messages depend on how they are cut into chunks");
    },
    isExpected: isPlainError,
  },
  { name: "tar", samples: [TAR_HEADER], parse: (input) => [...readTarEntries(input)], isExpected: isPlainError },
  {
    name: "label selectors",
    samples: ["a=b,c!=d,e in (f,g),!h,i notin (j)", "example.com/app==web,k>1"],
    parse: text(parseLabelSelectorParameter),
    isExpected: isApiError,
  },
  { name: "field selectors", samples: ["metadata.name=a,spec.nodeName!=b\\,c"], parse: text(parseFieldSelector), isExpected: isApiError },
  {
    name: "quantities",
    samples: ["100m", "1.5Gi", "-12e3", "0.000000001", "123456789012345678901234567890"],
    parse: text((input) => {
      const canonical = canonicalizeQuantity(input);
      if ((canonical === undefined) !== (parseQuantity(input) === undefined)) throw new TypeError(`${input} has no consistent value`);
      // The canonical form is stable.
      if (canonical !== undefined && canonicalizeQuantity(canonical) !== canonical) throw new TypeError(`${input} becomes ${canonical}`);
    }),
    isExpected: never,
  },
  {
    name: "CEL",
    samples: ["self.a.all(x, x > 1) && has(self.b) ? 'c' : \"d\\n\" + r'e'", "[1u, 0x1F, 1e3].exists(i, i in {'a': b'\\x00'})"],
    parse: text(parseExpression),
    isExpected: never,
  },
  {
    name: "JSON patch",
    samples: [
      JSON.stringify([
        { op: "add", path: "/a/b/-", value: 1 },
        { op: "move", from: "/d~1e", path: "/a/x" },
        { op: "test", path: "/a/b/0", value: 1 },
      ]),
    ],
    parse: text((input) => applyJsonPatch(DOCUMENT, decodeJson(input).value as Json)),
    isExpected: (error) => isApiError(error) || isBodyError(error),
  },
  {
    name: "kubeconfig",
    samples: [
      "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- name: a\n  cluster: {server: 'https://127.0.0.1:6443'}\nusers:\n- name: a\n  user: {token: t}\ncontexts:\n- name: a\n  context: {cluster: a, user: a}\n",
    ],
    async parse(input) {
      writeFileSync(KUBECONFIG, input);
      await loadClusterAccess({ kubeconfig: KUBECONFIG });
    },
    isExpected: (error) => error instanceof Error && /^PINTLE1\d{3}$/.test(String((error as { readonly code?: unknown }).code)),
  },
  {
    name: "continue tokens",
    samples: [encodeContinueToken("/registry/pods/default/a", "/registry/pods/", 12)],
    parse: text((input) => decodeContinueToken(input, "/registry/pods/")),
    isExpected: isApiError,
  },
];
