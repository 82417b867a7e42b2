import { BodyDecodeError, decodeJson, decodeProtobuf, decodeYaml, type ExpectedMessage, TooManyValuesError } from "../../codec/index.ts";
import { ApiError, badRequest } from "../../status/index.ts";
import { type ApiRequest, getHeader } from "../request/api-request.ts";
import type { RequestContext } from "../request-context.ts";

/** A body that was read, and the headers that specify its encoding. */
export type ReceivedBody = Pick<RequestContext, "request" | "body" | "turns">;

/** A body as a JSON value, with the errors of strict decoding: `duplicate field "spec.a"`. */
export interface DecodedBody {
  readonly value: unknown;
  readonly strict: readonly string[];
  /** The text of a JSON body. */
  readonly json?: string | undefined;
  readonly isYaml?: boolean | undefined;
}

const JSON_BODY = "application/json";
const YAML_BODY = "application/yaml";
const PROTOBUF_BODY = "application/vnd.kubernetes.protobuf";
const APPLY_BODY = "application/apply-patch+yaml";

/**
 * The fields and items of a body. kube-apiserver has no such limit, but with the managed fields of so many values an object is larger than etcd
 * accepts. No stage can be interrupted within an object, so this bounds how long other requests wait.
 */
export const MAX_BODY_VALUES = 65_536;

/**
 * Decodes the body of a create, update or delete; undefined without a body. No content type means JSON. Throws BodyDecodeError, and 413 for too
 * many values.
 */
export async function decodeRequestBody(received: ReceivedBody, expected?: ExpectedMessage): Promise<DecodedBody | undefined> {
  return decodeBounded(() => decodeByMediaType(received, expected));
}

async function decodeBounded<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error;
    const limit = `limit is ${MAX_BODY_VALUES} fields and list items`;
    throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${limit}`);
  }
}

async function decodeByMediaType({ request, body, turns }: ReceivedBody, expected?: ExpectedMessage): Promise<DecodedBody | undefined> {
  // An empty body is an empty YAML document.
  if (body === undefined) return getMediaType(request) === YAML_BODY ? { value: {}, strict: [] } : undefined;
  if ("json" in body) return { value: body.json, strict: [] };
  switch (getMediaType(request)) {
    case "":
    case JSON_BODY: {
      const json = toText(body.bytes);
      return { ...decodeJson(json, MAX_BODY_VALUES), json };
    }
    case YAML_BODY:
      return { ...(await decodeYaml(toText(body.bytes), MAX_BODY_VALUES, turns)), isYaml: true };
    case PROTOBUF_BODY:
      return { value: decodeProtobuf(body.bytes, expected, MAX_BODY_VALUES).object, strict: [] };
    default:
      throw unsupportedMediaTypeError([JSON_BODY, YAML_BODY, PROTOBUF_BODY]);
  }
}

/** Decodes the DeleteOptions that a delete may carry; undefined without a body. Throws 400. */
export async function decodeDeleteBody(received: ReceivedBody): Promise<unknown> {
  try {
    return (await decodeRequestBody(received, { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" }))?.value;
  } catch (error) {
    if (error instanceof BodyDecodeError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

export function hasJsonBody(request: ApiRequest): boolean {
  return ["", JSON_BODY].includes(getMediaType(request));
}

/** Splits a strict decoding error of YAML into its lines, each of which is a warning. */
export function splitStrictError(problem: string): readonly string[] {
  return problem.split("\n  ").filter((line) => line !== "yaml: unmarshal errors:");
}

/** Prefixes of the error for a patch that cannot be parsed. */
const PATCH_ERROR_PREFIXES: Readonly<Record<string, string>> = {
  [APPLY_BODY]: "error decoding YAML: error converting YAML to JSON: ",
  "application/strategic-merge-patch+json": "",
};

/** Decodes the body of a patch: JSON, or YAML for apply. Throws 400. */
export async function decodePatchBody({ request, body, turns }: ReceivedBody): Promise<DecodedBody> {
  if (body !== undefined && "json" in body) return { value: body.json, strict: [] };
  const content = body === undefined ? "" : toText(body.bytes);
  const type = getMediaType(request);
  try {
    return await decodeBounded(async () =>
      type === APPLY_BODY ? decodeYaml(content, MAX_BODY_VALUES, turns) : decodeJson(content, MAX_BODY_VALUES),
    );
  } catch (error) {
    if (error instanceof BodyDecodeError) throw badRequest(`${PATCH_ERROR_PREFIXES[type] ?? "error decoding patch: "}${error.message}`);
    throw error;
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Returns the Content-Type without its parameters. */
export function getMediaType({ headers }: Pick<ApiRequest, "headers">): string {
  const given = getHeader(headers, "content-type") ?? "";
  // A header of parameters only is not the same as no header.
  return given.split(";")[0]?.trim().toLowerCase() || given;
}

export function unsupportedMediaTypeError(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError(415, "UnsupportedMediaType", message);
}
