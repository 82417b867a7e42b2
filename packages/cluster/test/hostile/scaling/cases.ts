import { Readable } from "node:stream";
import { encodeGoJson, formatGoValue, parseGoDuration, quoteGoString } from "pintle/internal/go-format";
import { stringifyJson } from "pintle/internal/json";
import { createRequestGuard } from "pintle/internal/loopback";
import { canonicalizeQuantity, parseFieldsV1, quantityValue } from "pintle/internal/merge";
import { parseLabelSelector } from "pintle/internal/selectors";
import { parseShortInteger, splitPemBlocks, trimTrailing } from "pintle/internal/text";
import { loadSigningKey } from "../../../src/access/tokens/signing-key.ts";
import { parseAccept } from "../../../src/api/encoding/negotiate.ts";
import { isWellFormedPath, parseRequestTarget, readHeaders, readRequestBody } from "../../../src/api/http/read-request.ts";
import { readBearerProtocol } from "../../../src/api/http/web-socket/bearer-protocol.ts";
import { createFrameReader as createWebSocketReader } from "../../../src/api/http/web-socket/frames.ts";
import { buildHandshake } from "../../../src/api/http/web-socket/handshake.ts";
import { dedupeOwnerReferences } from "../../../src/api/metadata/owner-references.ts";
import { validateMetadata, validateMetadataUpdate } from "../../../src/api/metadata/validate-metadata.ts";
import { decodeContinueToken } from "../../../src/api/options/continue-token.ts";
import { parseFieldSelector } from "../../../src/api/options/field-selector.ts";
import { parseLabelSelectorParameter, parseResourceVersion } from "../../../src/api/options/list-options.ts";
import { parseIntegerParameter } from "../../../src/api/options/query-parameters.ts";
import { buildRequestInfo } from "../../../src/api/request/request-info.ts";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../../../src/apply/index.ts";
import { compareQuantities } from "../../../src/builtin/quantities.ts";
import { decodeJson, decodeProtobuf, decodeYaml, visitJsonFields } from "../../../src/codec/index.ts";
import { parseSchedule } from "../../../src/controllers/cron-job/schedule.ts";
import { parseImageReference } from "../../../src/node/process/image/image-reference.ts";
import { readTarEntries } from "../../../src/node/process/image/oci/tar-reader.ts";
import { parseDnsQuestion } from "../../../src/node/process/service-network/dns-message.ts";
import { compileExpression, PlainList, STRING } from "../../../src/schema/cel/index.ts";
import { parseMicroTime, parseTime } from "../../../src/schema/decode/index.ts";
import { findStringFormat } from "../../../src/schema/formats/string-formats.ts";
import { compileJsonPath } from "../../../src/schema/printer-columns/index.ts";
import { checkPattern, createMatchBudget, matchesPattern } from "../../../src/schema/re2/index.ts";
import {
  fieldError,
  invalid,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validatePathSegment,
  validateQualifiedName,
} from "../../../src/status/index.ts";
import { parsePorts } from "../../../src/streams/port-forward/web-socket-port-forward.ts";
import { createFrameReader as createSpdyReader } from "../../../src/streams/spdy/spdy-frames.ts";
import type { ScalingCase } from "./measure-growth.ts";

type Text = (size: number) => string;

const repeat =
  (part: string): Text =>
  (size) =>
    part.repeat(Math.ceil(size / part.length));
const wrap =
  (before: string, part: string, after = ""): Text =>
  (size) =>
    `${before}${repeat(part)(size)}${after}`;
/** Numbered parts, about `size` characters in all. */
const number = (before: string, part: (n: number) => string, separator: string, after: string): Text => {
  const length = part(10_000).length + separator.length;
  return (size) => `${before}${Array.from({ length: Math.ceil(size / length) }, (_, n) => part(n)).join(separator)}${after}`;
};

/** Makes a case for each text. */
function forTexts(name: string, run: (text: string) => unknown, texts: readonly Text[], maxSize?: number): readonly ScalingCase[] {
  return texts.map((input, index) => ({
    name: texts.length === 1 ? name : `${name} (${index + 1})`,
    input,
    run,
    ...(maxSize === undefined ? {} : { maxSize }),
  }));
}

/** A case whose input is a list of as many items. */
function forItems(name: string, item: (n: number) => unknown, run: (items: never[]) => unknown, maxSize = 64_000): ScalingCase {
  return { name, input: (size) => Array.from({ length: size }, (_, n) => item(n)), run: run as (input: never) => unknown, maxSize };
}

const TEXTS = {
  digits: repeat("1"),
  zeros: repeat("0"),
  dots: repeat("."),
  letters: repeat("a"),
  dashes: wrap("a", "-"),
  labels: repeat("a."),
  spaces: repeat(" "),
  slashes: repeat("/"),
  quotes: repeat('"'),
  backslashes: repeat("\\"),
  colons: repeat(":"),
  wide: repeat("é"),
};
const ALL_TEXTS = Object.values(TEXTS);

const query = (name: string, text: string) => new Map([[name, [text]]]);
const requestInfo = (path: string) => buildRequestInfo({ method: "GET", path, query: new Map() });
const signingKey = loadSigningKey();
const guard = createRequestGuard({ host: "127.0.0.1" });
const environment = { type: "object", items: { type: "object" }, patch: { strategy: "merge", mergeKey: "name" } };
const patchShape = { properties: { env: environment, tags: { patch: { strategy: "merge" } } } } as never;
const FORMATS = ["email", "uri", "ipv4", "ipv6", "cidr", "mac", "uuid", "byte", "date", "date-time", "duration", "hostname", "creditcard"];

const requestCases: readonly ScalingCase[] = [
  ...forTexts("request info", requestInfo, [TEXTS.slashes, wrap("/api/v1/", "a/"), wrap("/apis/", "../"), wrap("/api/v1/", "%2f")]),
  ...forTexts("well-formed path", isWellFormedPath, [repeat("%41"), repeat("%")]),
  ...forTexts("request target", parseRequestTarget, [wrap("/?", "a&"), wrap("/?a=", "%41"), number("/?", (n) => `k${n}=v`, "&", "")]),
  ...forTexts("accept header", parseAccept, [
    repeat(","),
    repeat("a;"),
    wrap("application/json;q=", '"'),
    repeat("application/json,"),
    repeat(" "),
  ]),
  ...forTexts("bearer protocol", readBearerProtocol, [repeat(","), wrap("base64url.bearer.authorization.k8s.io.", "A")]),
  ...forTexts(
    "handshake",
    (text) => buildHandshake({ "sec-websocket-version": "13", "sec-websocket-key": "a", origin: "a", "sec-websocket-protocol": text }),
    [repeat("a,"), repeat(" ")],
  ),
  ...forTexts("token", (text) => signingKey.parse(text), [repeat("."), wrap("e30.", "A", ".a"), repeat("eyJ")]),
  ...forTexts(
    "loopback guard",
    (text) => guard({ method: "POST", rawHeaders: [], headers: { host: text, origin: text, "content-type": text } }),
    [TEXTS.colons, TEXTS.letters, wrap("[", ":")],
  ),
  ...forTexts("label selector", parseLabelSelector, [
    repeat("a,"),
    wrap("a in (", "a,", "b)"),
    repeat(" "),
    repeat("="),
    repeat("!"),
    number("", (n) => `k${n}!=v`, ",", ""),
  ]),
  ...forTexts("label selector parameter", parseLabelSelectorParameter, [number("", (n) => `k${n}`, ",", ""), wrap("a=", "-")]),
  ...forTexts("field selector", parseFieldSelector, [repeat("a=b,"), wrap("a=", "\\\\"), repeat("!"), repeat(",")]),
  ...forTexts("continue token", (text) => decodeContinueToken(text, "/registry/pods/"), [repeat("A"), repeat("=")]),
  ...forTexts("integer parameter", (text) => parseIntegerParameter(query("limit", text), "limit"), [
    TEXTS.digits,
    TEXTS.zeros,
    wrap("-", "9"),
  ]),
  ...forTexts("resource version", parseResourceVersion, [TEXTS.digits, TEXTS.zeros]),
  ...forTexts("short integer", parseShortInteger, [TEXTS.digits, TEXTS.zeros, wrap("+", "0")]),
  ...forTexts("duration", parseGoDuration, [TEXTS.digits, repeat("1h"), TEXTS.zeros, wrap("1.", "1", "h"), TEXTS.letters]),
  ...forTexts("ports", (text) => parsePorts([text]), [repeat("1,"), TEXTS.digits]),
  {
    name: "impersonation headers",
    input: (size) => Array.from({ length: size }, (_, n) => (n % 2 === 0 ? "Impersonate-Group" : `g${n}`)),
    run: (rawHeaders: string[]) => readHeaders({ headers: { "impersonate-group": "" }, rawHeaders }),
    maxSize: 128_000,
  },
  {
    name: "request body in short chunks",
    input: (size) => Array.from({ length: size }, () => Buffer.from("a")),
    run: (chunks: Buffer[]) => readRequestBody(Readable.from(chunks, { objectMode: true })),
    maxSize: 64_000,
  },
];

const bodyCases: readonly ScalingCase[] = [
  ...forTexts("JSON", decodeJson, [
    wrap("[", "1,", "1]"),
    wrap('{"a":1', ',"a":1', "}"),
    number("{", (n) => `"k${n}":1`, ",", "}"),
    wrap('{"a":"', "\\\\", '"}'),
    wrap('{"a":"', '\\"', '"}'),
    wrap('{"a":"', "\\"),
    wrap('{"a":', "1", "}"),
    wrap("[", "12345678901234567,", "1]"),
    wrap('{"a":"', "\\ud800", '"}'),
    repeat("["),
    repeat(" "),
    wrap('{"a":{"a":1,"a":2}', ',"b":{"a":1,"a":2}', "}"),
  ]),
  ...forTexts("JSON fields", (text) => visitJsonFields(text, () => false), [number("{", (n) => `"k${n}":1`, ",", "}")]),
  ...forTexts("JSON with bigints", (text) => stringifyJson(decodeJson(text).value), [wrap("[", "12345678901234567,", "1]")]),
  ...forTexts(
    "YAML",
    decodeYaml,
    [
      repeat("- a\n"),
      wrap("[", "a,", "a]"),
      number("", (n) => `k${n}: v`, "\n", ""),
      repeat("---\na: b\n"),
      repeat("a: b\n"),
      wrap("a: &a v\nb:\n", "- *a\n"),
      wrap("a: &a {k: v}\nb:\n", "  <<: *a\n"),
      wrap("a: &a {k: v}\nb:\n  <<: [", "*a,", "*a]"),
      number("", (n) => `a${n}: &a${n} v\nb${n}: *a${n}`, "\n", ""),
      number("a: &a0 {k: v}\n", (n) => `b${n}: &a${n + 1} {<<: *a${n}, k${n}: v}`, "\n", ""),
      repeat("["),
      repeat("- "),
      repeat("? "),
      repeat("{a: "),
      repeat(" "),
      repeat("\n"),
      repeat("#\n"),
      wrap('a: "', "\\n", '"'),
      wrap("a: '", "''", "'"),
      wrap("a: |\n", "  x\n"),
      wrap("a: >\n", "  x\n"),
      wrap("a: x\n", "  x\n"),
      wrap("a: ", "1"),
      wrap("a: 1", "_"),
      wrap("a: 1", ":1"),
      wrap("a: ", "!!str "),
      wrap("a: ", "&a "),
      repeat("%YAML 1.1\n"),
      repeat(":"),
      wrap("a:\n", "\t"),
      wrap('{"a":"', "x\n"),
    ],
    128_000,
  ),
  {
    name: "protobuf",
    input: (size) => Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(size, 0x0a)]),
    run: (bytes: Buffer) => decodeProtobuf(bytes, { apiVersion: "v1", kind: "ConfigMap" }),
  },
  {
    name: "protobuf with many fields",
    input: (size) => Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(size, Buffer.from([0x0a, 0x00]))]),
    run: (bytes: Buffer) => decodeProtobuf(bytes, { apiVersion: "v1", kind: "ConfigMap" }),
  },
];

const valueCases: readonly ScalingCase[] = [
  ...forTexts("quantity", canonicalizeQuantity, [
    TEXTS.digits,
    wrap("1", "0"),
    wrap("1.", "1"),
    wrap("1e", "1"),
    wrap("0.", "0", "1"),
    wrap("", "1", "Ki"),
    TEXTS.dots,
  ]),
  ...forTexts("quantity value", quantityValue, [TEXTS.digits, wrap("1", "0"), wrap("1.", "1", "Ki")]),
  ...forTexts("compared quantities", (text) => compareQuantities(text, "1"), [TEXTS.digits, wrap("1e", "9")]),
  ...forTexts("name as DNS label", validateDnsLabel, ALL_TEXTS),
  ...forTexts("name as DNS subdomain", validateDnsSubdomain, ALL_TEXTS),
  ...forTexts("name as DNS-1035 label", validateDns1035Label, ALL_TEXTS),
  ...forTexts("qualified name", validateQualifiedName, ALL_TEXTS),
  ...forTexts("label value", validateLabelValue, ALL_TEXTS),
  ...forTexts("path segment", (text) => validatePathSegment(text), ALL_TEXTS),
  ...forTexts("time", parseTime, [wrap("2020-01-01T00:00:00.", "1", "Z"), ...ALL_TEXTS]),
  ...forTexts("time with microseconds", parseMicroTime, [wrap("2020-01-01T00:00:00.", "1", "Z")]),
  ...FORMATS.flatMap((format) => {
    const check = findStringFormat(format);
    return check === undefined
      ? []
      : forTexts(`format ${format}`, check, [...ALL_TEXTS, wrap("a@", "a."), wrap("http://", "a/"), wrap("", "1:")]);
  }),
  ...forTexts("cron schedule", (text) => parseSchedule(text, "UTC"), [
    repeat("* "),
    wrap("", "1,", "1 * * * *"),
    wrap("0-", "9", " * * * *"),
  ]),
  ...forTexts("image reference", parseImageReference, ALL_TEXTS),
  ...forTexts("PEM", splitPemBlocks, [repeat("-----BEGIN A-----\n"), repeat("-"), wrap("-----BEGIN A-----\n", "A")]),
  ...forTexts("trimmed text", (text) => trimTrailing(text, "/"), [TEXTS.slashes, repeat("/a")]),
  ...forTexts("quoted text", quoteGoString, [TEXTS.quotes, TEXTS.wide, repeat("\u0001")]),
  ...forTexts("formatted value", (text) => [formatGoValue({ a: text }), encodeGoJson({ a: text })], [repeat("<"), TEXTS.wide]),
  ...forTexts(
    "JSON path",
    (text) => compileJsonPath(text),
    [repeat(".a"), repeat("["), repeat("'"), wrap(".", "a"), repeat("[0]"), repeat("..")],
    64_000,
  ),
  ...forTexts(
    "pattern",
    checkPattern,
    [repeat("a?"), repeat("(a"), repeat("["), repeat("a|"), repeat("\\"), repeat("a*"), repeat("(?:")],
    32_000,
  ),
  ...["^(a|a)*b$", `${"a?".repeat(27)}${"a".repeat(27)}`, `^${".*".repeat(8)}x$`, "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"].flatMap(
    (pattern) =>
      forTexts(
        `match ${pattern.slice(0, 16)}`,
        (text) => matchesPattern(pattern, text, createMatchBudget()),
        [TEXTS.letters, repeat("x")],
        64_000,
      ),
  ),
];

const objectCases: readonly ScalingCase[] = [
  forItems(
    "owner references",
    (n) => ({ apiVersion: "v1", kind: "Pod", name: `p${n}`, uid: `u${n}` }),
    (ownerReferences) => dedupeOwnerReferences({ metadata: { ownerReferences } }, false),
  ),
  forItems(
    "owner references that are equal",
    () => ({ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }),
    (ownerReferences) => dedupeOwnerReferences({ metadata: { ownerReferences } }, false),
  ),
  forItems(
    "owner references of several controllers",
    (n) => ({ apiVersion: "v1", kind: "Pod", name: `p${n}`, uid: `u${n}`, controller: true }),
    (ownerReferences) =>
      invalid({ group: "", resource: "Pod" }, "a", validateMetadata({ metadata: { name: "a", ownerReferences } }, "Cluster")),
  ),
  forItems(
    "finalizers",
    (n) => `a.b/${n}`,
    (finalizers) => validateMetadata({ metadata: { name: "a", finalizers } }, "Cluster"),
  ),
  forItems(
    "new finalizers of a deleted object",
    (n) => `a.b/${n}`,
    (finalizers: string[]) =>
      validateMetadataUpdate(
        { metadata: { name: "a", finalizers } } as never,
        { metadata: { name: "a", deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: finalizers.map((each) => `${each}x`) } } as never,
      ),
  ),
  forItems(
    "labels",
    (n) => [`k ${n}`, "v v"],
    (labels) => validateMetadata({ metadata: { name: "a", labels: Object.fromEntries(labels) } }, "Cluster"),
  ),
  forItems(
    "field errors",
    (n) => fieldError.invalid(`spec[${n}]`, "x".repeat(100), "no"),
    (errors) => invalid({ group: "", resource: "A" }, "a", errors),
  ),
  forItems(
    "managed fields",
    (n) => [`f:k${n}`, {}],
    (fields) => parseFieldsV1(Object.fromEntries(fields)),
  ),
  forItems(
    "managed fields with keys",
    (n) => [`k:{"a":${n}}`, {}],
    (fields) => parseFieldsV1(Object.fromEntries(fields)),
    16_000,
  ),
  forItems(
    "strategic merge of maps",
    (n) => ({ name: `e${n}`, value: "x" }),
    (env) => applyStrategicMergePatch({ env }, { env: [...env].reverse() } as never, patchShape),
  ),
  forItems(
    "strategic merge with deletions",
    (n) => ({ name: `e${n}`, $patch: "delete" }),
    (env: { name: string }[]) => applyStrategicMergePatch({ env: env.map(({ name }) => ({ name })) }, { env } as never, patchShape),
  ),
  forItems(
    "strategic merge with an order",
    (n) => ({ name: `e${n}`, value: "x" }),
    (env: { name: string }[]) =>
      applyStrategicMergePatch({ env }, { "$setElementOrder/env": env.map(({ name }) => ({ name })), env } as never, patchShape),
  ),
  forItems(
    "strategic merge of scalars",
    (n) => `t${n}`,
    (tags) => applyStrategicMergePatch({ tags }, { tags: [...tags].reverse(), "$deleteFromPrimitiveList/tags": tags } as never, patchShape),
  ),
  forItems(
    "merge patch",
    (n) => [`k${n}`, null],
    (fields) => applyMergePatch({}, Object.fromEntries(fields) as never),
  ),
  forItems(
    "JSON patch",
    (n) => ({ op: "add", path: `/data/k${n}`, value: "v" }),
    (operations) => applyJsonPatch({ data: {} }, operations),
    4000,
  ),
  forItems(
    "JSON patch of a list",
    (n) => ({ op: "add", path: "/list/-", value: n }),
    (operations) => applyJsonPatch({ list: [] }, operations),
    4000,
  ),
  ...forTexts("JSON pointer", (path) => applyJsonPatch({ a: {} }, [{ op: "add", path, value: 1 }]), [repeat("/a"), wrap("/a/", "~0")]),
];

/** Evaluates an expression with a text and a list of texts, without a limit of cost. */
const evaluate = (source: string) => {
  const { run } = compileExpression(source, { text: STRING });
  return (text: string) => run([text], Number.POSITIVE_INFINITY);
};
const CEL_FUNCTIONS = [
  "text.trim()",
  "text.indexOf('ab')",
  "text.lastIndexOf('ba')",
  "text.indexOf(text.substring(0, size(text) / 2) + 'b')",
  "text.lastIndexOf('b' + text.substring(0, size(text) / 2))",
  "text.lowerAscii()",
  "text.upperAscii()",
  "text.replace('a', 'bb')",
  "text.replace('', 'b')",
  "text.split('a')",
  "text.split('')",
  "text.substring(1)",
  "text.charAt(1)",
  "text.contains('ab')",
  "text.startsWith('b')",
  "strings.quote(text)",
  "'%s'.format([text])",
  "text.format([1])",
  "isQuantity(text)",
  "isIP(text)",
  "isCIDR(text)",
  "isURL(text)",
  "isSemver(text)",
  "format.dns1123Subdomain().validate(text)",
  "text.matches('^(a|a)*b$')",
  "text.find('a*b')",
  "size(text)",
  "bytes(text)",
];
const celCases: readonly ScalingCase[] = [
  ...CEL_FUNCTIONS.flatMap((source) => forTexts(`CEL ${source}`, evaluate(source), [TEXTS.letters, TEXTS.spaces, TEXTS.digits], 256_000)),
  ...forTexts(
    "CEL syntax",
    (source) => compileExpression(source, {}),
    [wrap("1", "+1"), wrap("[", "1,", "1]"), wrap("'", "a", "'"), repeat("("), repeat("!"), repeat("1"), wrap("true", "&&true")],
    8000,
  ),
  forItems(
    "CEL list of texts",
    (n) => `t${n}`,
    (items) =>
      compileExpression("l.join(',')", { l: { kind: "list", item: STRING } as never }).run(
        [new PlainList(items)],
        Number.POSITIVE_INFINITY,
      ),
  ),
];

const protocolCases: readonly ScalingCase[] = [
  {
    name: "WebSocket frame in pieces",
    input: (size) => size,
    run: (size: number) => {
      const head = Buffer.alloc(10);
      head.set([0x82, 127]);
      head.writeBigUInt64BE(BigInt(size * 16), 2);
      return drain(createWebSocketReader(), [head, ...Array.from({ length: size }, () => Buffer.alloc(16))]);
    },
    maxSize: 128_000,
  },
  {
    name: "WebSocket frames",
    input: (size) => Buffer.alloc(size, Buffer.from([0x81, 0])),
    run: (bytes: Buffer) => drain(createWebSocketReader(), [bytes]),
  },
  {
    name: "SPDY frame in pieces",
    input: (size) => size,
    run: (size: number) => {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(1);
      head.writeUInt32BE(size * 16, 4);
      return drain(createSpdyReader(), [head, ...Array.from({ length: size }, () => Buffer.alloc(16))]);
    },
    maxSize: 128_000,
  },
  { name: "SPDY frames", input: (size) => Buffer.alloc(size), run: (bytes: Buffer) => drain(createSpdyReader(), [bytes]) },
  { name: "tar archive", input: (size) => Buffer.alloc(size, "a"), run: (bytes: Buffer) => [...readTarEntries(bytes)] },
  { name: "DNS question", input: (size) => Buffer.alloc(size, 1), run: (bytes: Buffer) => parseDnsQuestion(bytes) },
];

function drain(read: (chunk: Buffer) => Generator<unknown>, chunks: readonly Buffer[]): number {
  let frames = 0;
  for (const chunk of chunks) for (const _ of read(chunk)) frames++;
  return frames;
}

/** Every parser, normaliser and validator that sees client input. */
export const scalingCases: readonly ScalingCase[] = [
  ...requestCases,
  ...bodyCases,
  ...valueCases,
  ...objectCases,
  ...celCases,
  ...protocolCases,
];
