import type { JsonObject } from "pintle/kinds";
import type { Pod } from "pintle/kinds/core/v1";
import type { ApiAnswer, Query } from "../../api/index.ts";
import { type ApiError, badRequest, fieldError, invalid } from "../../status/index.ts";
import type { Connection } from "../rules.ts";

const EMPTY: ApiAnswer = { status: 200, headers: {}, body: { type: "none" } };

/** Up to the node everything is as it is anywhere; nodes so far are simulated, and have nothing to stream. */
export const podConnections: Readonly<Record<string, Connection>> = {
  log: async (object, query) => {
    checkLogOptions(object, query);
    containerOf(object, query);
    if (nodeOf(object) === "") return EMPTY;
    throw nothingRuns(object, "has no log");
  },
  exec: async (object, query) => {
    containerOf(object, query);
    throw unreached(object, "runs no commands");
  },
  attach: async (object, query) => {
    containerOf(object, query);
    throw unreached(object, "cannot be attached to");
  },
  portforward: async (object) => {
    throw unreached(object, "listens on no port");
  },
  proxy: async (object) => {
    throw unreached(object, "listens on no port");
  },
};

const nodeOf = (object: JsonObject) => (object as unknown as Pod).spec.nodeName ?? "";
const nameOf = (object: JsonObject) => (object as unknown as Pod).metadata.name;

function unreached(object: JsonObject, so: string): ApiError {
  return nodeOf(object) === "" ? badRequest(`pod ${nameOf(object)} does not have a host assigned`) : nothingRuns(object, so);
}

function nothingRuns(object: JsonObject, so: string): ApiError {
  return badRequest(`pod ${nameOf(object)} ${so}: its node ${nodeOf(object)} is simulated, and no container of it really runs`);
}

/** The container that is meant must be one of the pod's; with a single one it goes without saying. */
function containerOf(object: JsonObject, query: Query): void {
  const { spec } = object as unknown as Pod;
  const wanted = query.get("container")?.[0] ?? "";
  const names = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map(({ name }) => name);
  if (wanted !== "") {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${nameOf(object)}`);
    return;
  }
  if (spec.containers.length === 1) return;
  throw badRequest(`a container name must be specified for pod ${nameOf(object)}, choose one of: [${names.join(" ")}]`);
}

const LEAST = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 };

function checkLogOptions(object: JsonObject, query: Query): void {
  const problems = Object.entries(LEAST).flatMap(([field, least]) => {
    const given = query.get(field)?.[0];
    const value = Number(given);
    if (given === undefined || value >= least) return [];
    return [fieldError.invalid(field, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0")];
  });
  if (problems.length > 0) throw invalid({ group: "", resource: "PodLogOptions" }, nameOf(object), problems);
}
