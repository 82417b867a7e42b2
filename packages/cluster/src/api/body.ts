import { parse as parseYaml } from "yaml";
import { ApiError, badRequest } from "../status/index.ts";
import { type ApiRequest, header } from "./request.ts";

/** A body as a JSON value, with what strict decoding would have to say about the text: `duplicate field "spec.a"`. */
export interface DecodedBody {
  readonly value: unknown;
  readonly strict: readonly string[];
}

const JSON_BODY = "application/json";
const YAML_BODY = "application/yaml";
const PROTOBUF_BODY = "application/vnd.kubernetes.protobuf";

/** The body of a create, update or delete; undefined when there is none. No content type means JSON. */
export function decodeBody(request: ApiRequest): DecodedBody | undefined {
  const { body } = request;
  if (body === undefined) return undefined;
  if ("json" in body) return { value: body.json, strict: [] };
  if (body.bytes.length === 0) return undefined;
  const type = mediaTypeOf(request) || JSON_BODY;
  if (type === JSON_BODY) return parseJsonBody(body.bytes);
  if (type === YAML_BODY) return parseYamlBody(body.bytes);
  throw unsupportedMediaType([JSON_BODY, YAML_BODY, PROTOBUF_BODY]);
}

export function parseJsonBody(bytes: Uint8Array): DecodedBody {
  try {
    return { value: JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()), strict: [] };
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

export function parseYamlBody(bytes: Uint8Array): DecodedBody {
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    return { value: parseYaml(text), strict: [] };
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

/** Content-Type without its parameters. */
export function mediaTypeOf({ headers }: Pick<ApiRequest, "headers">): string {
  return (header(headers, "content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError(415, "UnsupportedMediaType", message);
}
