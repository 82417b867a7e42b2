import { BodyError, decodeJson, decodeProtobuf, decodeYaml } from "../codec/index.ts";
import { ApiError, badRequest } from "../status/index.ts";
import { type ApiRequest, header } from "./request.ts";

/** A body as a JSON value, with what strict decoding has to say about its text: `duplicate field "spec.a"`. */
export interface DecodedBody {
  readonly value: unknown;
  readonly strict: readonly string[];
}

const JSON_BODY = "application/json";
const YAML_BODY = "application/yaml";
const PROTOBUF_BODY = "application/vnd.kubernetes.protobuf";
const APPLY_BODY = "application/apply-patch+yaml";

/** The body of a create, update or delete; undefined when there is none. No content type means JSON. Throws BodyError. */
export async function decodeBody(request: ApiRequest, expected?: { apiVersion: string; kind: string }): Promise<DecodedBody | undefined> {
  const { body } = request;
  // An empty text is a YAML document with nothing in it.
  if (body === undefined) return mediaTypeOf(request) === YAML_BODY ? { value: {}, strict: [] } : undefined;
  if ("json" in body) return { value: body.json, strict: [] };
  switch (mediaTypeOf(request)) {
    case "":
    case JSON_BODY:
      return decodeJson(text(body.bytes));
    case YAML_BODY:
      return decodeYaml(text(body.bytes));
    case PROTOBUF_BODY:
      return { value: decodeProtobuf(body.bytes, expected).object, strict: [] };
    default:
      throw unsupportedMediaType([JSON_BODY, YAML_BODY, PROTOBUF_BODY]);
  }
}

export function isJsonBody(request: ApiRequest): boolean {
  return ["", JSON_BODY].includes(mediaTypeOf(request));
}

/** What strict decoding says of YAML is one text with many lines, of which each is a warning. */
export function warningLines(problem: string): readonly string[] {
  return problem.split("\n  ").filter((line) => line !== "yaml: unmarshal errors:");
}

/** What comes before the reason why a patch cannot be read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  [APPLY_BODY]: "error decoding YAML: error converting YAML to JSON: ",
  "application/strategic-merge-patch+json": "",
};

/** The body of a patch: JSON, or YAML where it is applied. Throws 400. */
export async function decodePatchBody(request: ApiRequest): Promise<DecodedBody> {
  const { body } = request;
  if (body !== undefined && "json" in body) return { value: body.json, strict: [] };
  const content = body === undefined ? "" : text(body.bytes);
  const type = mediaTypeOf(request);
  try {
    return type === APPLY_BODY ? await decodeYaml(content) : decodeJson(content);
  } catch (error) {
    if (error instanceof BodyError) throw badRequest(`${UNREADABLE[type] ?? "error decoding patch: "}${error.message}`);
    throw error;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Content-Type without its parameters. */
export function mediaTypeOf({ headers }: Pick<ApiRequest, "headers">): string {
  const given = header(headers, "content-type") ?? "";
  // Parameters of nothing are not the same as nothing.
  return given.split(";")[0]?.trim().toLowerCase() || given;
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError(415, "UnsupportedMediaType", message);
}
