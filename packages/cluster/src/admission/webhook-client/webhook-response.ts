import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { BodyDecodeError, decodeJson, decodeYaml } from "../../codec/index.ts";
import { WebhookTransportError } from "./transport-error.ts";

/** HTTP response of a webhook. */
export interface WebhookHttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Parses the response object as Kubernetes' client does. Throws `WebhookTransportError`. */
export async function parseWebhookResponse({ status, contentType, text }: WebhookHttpResponse): Promise<JsonObject> {
  if (status < 200 || status > 206)
    throw new WebhookTransportError(getStatusMessage(text) ?? formatResponseError(status, contentType, text));
  if (text === "") {
    throw new WebhookTransportError(`0-length response with status code: ${status} and content type: ${contentType || "application/json"}`);
  }
  return parseObject(text);
}

/** Text that does not start like an object is parsed as YAML, whatever its content type. */
async function parseObject(text: string): Promise<JsonObject> {
  try {
    const { value } = text.trimStart().startsWith("{") ? decodeJson(text) : await decodeYaml(text);
    if (isJsonObject(value)) return value;
    const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw new BodyDecodeError(
      `json: cannot unmarshal ${found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  } catch (error) {
    if (error instanceof BodyDecodeError) throw new WebhookTransportError(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

/** Returns the message of a failure Status; undefined if the text is something else. */
function getStatusMessage(text: string): string | undefined {
  try {
    const { value } = decodeJson(text);
    const failed = isJsonObject(value) && value["kind"] === "Status" && value["status"] === "Failure";
    return failed ? String(value["message"] ?? "") : undefined;
  } catch (error) {
    if (error instanceof BodyDecodeError) return undefined;
    throw error;
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
const MAX_MESSAGE_LENGTH = 2048;

function formatResponseError(status: number, contentType: string, text: string): string {
  const isText = contentType === "" || contentType.trim().toLowerCase().startsWith("text/");
  const message = isText ? text.slice(0, MAX_MESSAGE_LENGTH).trim() : "unknown";
  if (status === 403 || status === 415 || (status === 406 && message !== "" && message !== "unknown")) return message;
  if (status === 406) return "the server was unable to respond with a content type that the client supports";
  const known = MESSAGES[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${quoteGoString(message)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
