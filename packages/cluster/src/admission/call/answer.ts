import { isObject, type JsonObject } from "pintle/kinds";
import { BodyError, decodeJson, decodeYaml } from "../../codec/index.ts";
import { goQuote } from "../../status/index.ts";
import { CallFailure } from "./failure.ts";

/** What came back over the wire. */
export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** The object in an answer, read as Kubernetes' client reads it. Throws a CallFailure. */
export async function answered({ status, contentType, text }: Received): Promise<JsonObject> {
  if (status < 200 || status > 206) throw new CallFailure(statusMessage(text) ?? responseMessage(status, contentType, text));
  if (text === "") {
    throw new CallFailure(`0-length response with status code: ${status} and content type: ${contentType || "application/json"}`);
  }
  return parsed(text);
}

/** What does not begin like an object is taken for YAML, whatever it says it is. */
async function parsed(text: string): Promise<JsonObject> {
  try {
    const { value } = text.trimStart().startsWith("{") ? decodeJson(text) : await decodeYaml(text);
    if (isObject(value)) return value;
    const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw new BodyError(
      `json: cannot unmarshal ${found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  } catch (error) {
    if (error instanceof BodyError) throw new CallFailure(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}

/** The message of a Status that says what went wrong, if it is one. */
function statusMessage(text: string): string | undefined {
  try {
    const { value } = decodeJson(text);
    const failed = isObject(value) && value["kind"] === "Status" && value["status"] === "Failure";
    return failed ? String(value["message"] ?? "") : undefined;
  } catch (error) {
    if (error instanceof BodyError) return undefined;
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
const LONGEST = 2048;

function responseMessage(status: number, contentType: string, text: string): string {
  const isText = contentType === "" || contentType.trim().toLowerCase().startsWith("text/");
  const said = isText ? text.slice(0, LONGEST).trim() : "unknown";
  if (status === 403 || status === 415 || (status === 406 && said !== "" && said !== "unknown")) return said;
  if (status === 406) return "the server was unable to respond with a content type that the client supports";
  const known = MESSAGES[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${goQuote(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
