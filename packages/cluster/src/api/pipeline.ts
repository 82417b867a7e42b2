import { InternalError } from "pintle/internal/errors";
import { requestTimeout } from "../status/index.ts";
import type { Turns } from "../turns/index.ts";
import type { ApiResponse } from "./request/api-request.ts";
import type { Operation, RequestContext } from "./request-context.ts";
import { applyFlowControl } from "./stages/apply-flow-control.ts";
import { authenticate } from "./stages/authenticate.ts";
import { authorize } from "./stages/authorize.ts";
import { commit } from "./stages/commit.ts";
import { connect } from "./stages/connect.ts";
import { convert } from "./stages/convert.ts";
import { decode } from "./stages/decode.ts";
import { encode } from "./stages/encode.ts";
import { canRetryGeneratedName } from "./stages/generated-name.ts";
import { impersonate } from "./stages/impersonate.ts";
import { updateManagedFields } from "./stages/managed-fields.ts";
import { mutatingAdmission } from "./stages/mutating-admission.ts";
import { parseRequestInfo } from "./stages/parse-request-info.ts";
import { patch } from "./stages/patch.ts";
import { prepareObject } from "./stages/prepare-object.ts";
import { read } from "./stages/read.ts";
import { readBody } from "./stages/read-body.ts";
import { readLive } from "./stages/read-live.ts";
import { route } from "./stages/route.ts";
import { setDefaults } from "./stages/set-defaults.ts";
import { validate } from "./stages/validate.ts";
import { validatingAdmission } from "./stages/validating-admission.ts";

/**
 * One step of a request. It reads and writes fields of the context, and returns the context, or the response that ends the request.
 * Throws `ApiError`, which becomes the response. Each file of `stages/` documents what its stage reads and writes.
 */
export type Stage = (context: RequestContext) => StageResult | Promise<StageResult>;
export type StageResult = RequestContext | ApiResponse;

interface PipelineStage {
  readonly stage: Stage;
  /** The operations that run the stage. Default: all. */
  readonly operations?: readonly Operation[] | undefined;
}

const READS: readonly Operation[] = ["get", "list", "watch"];
/** Operations that send an object to store. */
const WRITES: readonly Operation[] = ["create", "update", "patch"];

/** The stages of a request, in order. To follow a request, put a breakpoint on the function of a stage. */
export const pipeline: readonly PipelineStage[] = [
  { stage: parseRequestInfo },
  { stage: authenticate },
  // The interceptors (audit log, fault injection) are called here, around all that follows.
  { stage: impersonate },
  { stage: applyFlowControl },
  { stage: authorize },
  { stage: route },
  { stage: connect, operations: ["connect"] },
  { stage: read, operations: READS },
  { stage: readBody, operations: [...WRITES, "review", "action", "delete", "deletecollection"] },
  { stage: decode, operations: [...WRITES, "review", "action", "delete", "deletecollection"] },
  { stage: readLive, operations: ["update", "patch", "delete"] },
  { stage: patch, operations: ["update", "patch"] },
  { stage: setDefaults, operations: [...WRITES, "review", "action"] },
  { stage: updateManagedFields, operations: [...WRITES, "review", "action"] },
  { stage: mutatingAdmission, operations: [...WRITES, "review", "action", "delete"] },
  { stage: prepareObject, operations: WRITES },
  { stage: validate, operations: WRITES },
  { stage: validatingAdmission, operations: [...WRITES, "review", "action", "delete"] },
  { stage: commit, operations: [...WRITES, "review", "action", "delete", "deletecollection"] },
  { stage: convert, operations: ["get", ...WRITES] },
  { stage: encode },
];

const INTERCEPTED = pipeline.findIndex(({ stage }) => stage === impersonate);
const ROUTED = pipeline.findIndex(({ stage }) => stage === route) + 1;

/** The stages in front of the interceptors, which see the request info and the user. */
export const entryStages: readonly Stage[] = pipeline.slice(0, INTERCEPTED).map(({ stage }) => stage);
/** The stages of every request behind the interceptors, up to `route`. */
const routingStages: readonly Stage[] = pipeline.slice(INTERCEPTED, ROUTED).map(({ stage }) => stage);
const operationStages = new Map<Operation, readonly Stage[]>();

function getOperationStages(operation: Operation): readonly Stage[] {
  let stages = operationStages.get(operation);
  if (stages === undefined) {
    stages = pipeline
      .slice(ROUTED)
      .filter(({ operations }) => operations === undefined || operations.includes(operation))
      .map(({ stage }) => stage);
    operationStages.set(operation, stages);
  }
  return stages;
}

/** Runs the stages in front of the interceptors; returns a promise only where the user must be found out from credentials. */
export function runEntryStages(context: RequestContext): Promise<void> | undefined {
  for (let index = 0; index < entryStages.length; index++) {
    const result = (entryStages[index] as Stage)(context);
    if (result instanceof Promise) return finishEntryStages(context, result, entryStages.slice(index + 1));
  }
  return undefined;
}

async function finishEntryStages(context: RequestContext, pending: Promise<StageResult>, rest: readonly Stage[]): Promise<void> {
  await pending;
  for (const stage of rest) await stage(context);
}

/** Lets other requests run. A write that its client gave up is not executed further. */
async function waitForTurn(context: RequestContext, turns: Turns): Promise<void> {
  await turns.wait();
  if (context.committed !== undefined || !(context.isAbandoned || context.request.signal().aborted)) return;
  throw requestTimeout();
}

/** Runs all stages behind the interceptors; returns the response. */
export async function runPipeline(context: RequestContext): Promise<ApiResponse> {
  for (const stage of routingStages) {
    const result = stage(context);
    const next = result instanceof Promise ? await result : result;
    if (next !== context) return next as ApiResponse;
  }
  const stages = getOperationStages(context.operation);
  for (let index = 0; index < stages.length; index++) {
    try {
      if (context.turns !== undefined) await waitForTurn(context, context.turns);
      const result = (stages[index] as Stage)(context);
      const next = result instanceof Promise ? await result : result;
      if (next !== context) return next as ApiResponse;
    } catch (error) {
      if (!canRetryGeneratedName(context, error)) throw error;
    }
    if (context.retryFrom !== undefined) {
      index = stages.indexOf(context.retryFrom === "readLive" ? readLive : prepareObject) - 1;
      context.retryFrom = undefined;
    }
  }
  throw new InternalError("the pipeline ended without a response");
}
