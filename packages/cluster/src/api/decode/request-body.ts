import { BodyDecodeError, decodeJson, decodeProtobuf, decodeYaml, type ExpectedMessage } from "../../codec/index.ts";
import { ApiError, badRequest } from "../../status/index.ts";
import { type ApiRequest, getHeader } from "../request/api-request.ts";
import type { RequestContext } from "../request-context.ts";

/** A body that was read, and the headers that specify its encoding. */
export type ReceivedBody = Pick<RequestContext, "request" | "body">;

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

/** Decodes the body of a create, update or delete; undefined without a body. No content type means JSON. Throws BodyDecodeError. */
export async function decodeRequestBody({ request, body }: ReceivedBody, expected?: ExpectedMessage): Promise<DecodedBody | undefined> {
  // An empty body is an empty YAML document.
  if (body === undefined) return getMediaType(request) === YAML_BODY ? { value: {}, strict: [] } : undefined;
  if ("json" in body) return { value: body.json, strict: [] };
  switch (getMediaType(request)) {
    case "":
    case JSON_BODY: {
      const json = toText(body.bytes);
      return { ...decodeJson(json), json };
    }
    case YAML_BODY:
      return { ...(await decodeYaml(toText(body.bytes))), isYaml: true };
    case PROTOBUF_BODY:
      return { value: decodeProtobuf(body.bytes, expected).object, strict: [] };
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
export async function decodePatchBody({ request, body }: ReceivedBody): Promise<DecodedBody> {
  if (body !== undefined && "json" in body) return { value: body.json, strict: [] };
  const content = body === undefined ? "" : toText(body.bytes);
  const type = getMediaType(request);
  try {
    return type === APPLY_BODY ? await decodeYaml(content) : decodeJson(content);
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
