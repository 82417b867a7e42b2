import type { JsonObject } from "pintle/kinds";
import { ApiError, formatGroupResource } from "../../status/index.ts";
import { generateName } from "../metadata/generate-name.ts";
import { getMetadata, withMetadata } from "../metadata/object-meta.ts";
import { getGroupResource, type RequestContext } from "../request-context.ts";

const MAX_NAME_ATTEMPTS = 8;

/** Returns the admitted object with a name made from its `generateName`, if it has one and no name. Writes `nameAttempts`. */
export function setGeneratedName(context: RequestContext): JsonObject {
  const { server, admittedObject } = context;
  const { name, generateName: prefix } = getMetadata(admittedObject);
  if (!prefix) return admittedObject;
  // A name that the client chose is tried once, but refused with the same text.
  context.nameAttempts = name === undefined ? context.nameAttempts + 1 : MAX_NAME_ATTEMPTS;
  return name === undefined ? withMetadata(admittedObject, { name: generateName(prefix, server.random) }) : admittedObject;
}

/** Sends a create whose generated name is taken back to `prepareObject`; false for any other error. Throws 409 after eight names. */
export function canRetryGeneratedName(context: RequestContext, error: unknown): boolean {
  const isTaken = context.nameAttempts > 0 && error instanceof ApiError && error.reason === "AlreadyExists";
  if (!isTaken) return false;
  if (context.nameAttempts === MAX_NAME_ATTEMPTS) throw nameGenerationError(context);
  context.retryFrom = "prepareObject";
  return true;
}

function nameGenerationError({ resource, object }: RequestContext): ApiError {
  const { name = "" } = getMetadata(object);
  const groupResource = getGroupResource(resource);
  const message = `${formatGroupResource(groupResource)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  const details = { name, group: groupResource.group || undefined, kind: groupResource.resource, retryAfterSeconds: 1 };
  return new ApiError(409, "AlreadyExists", message, details);
}
